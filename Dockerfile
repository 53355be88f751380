# The command in an image without a shell, compiled from the sources. It runs as the user
# nonroot (65532), which must be able to read the files that are mounted. To write into a
# mounted directory, run it as yourself:
#
#   docker build -t crdkit .
#   docker run --rm -v "$PWD:/work:ro" crdkit admit -R .
#   docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" crdkit test --cover coverage.html .
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /crdkit ./cmd/crdkit

FROM gcr.io/distroless/static:nonroot
COPY --from=build /crdkit /crdkit
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/crdkit"]
