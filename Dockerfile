# The command in an image without a shell:
#
#   docker build -t crdkit .
#   docker run --rm -v "$PWD:/work" crdkit admit -R .
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /crdkit ./cmd/crdkit

FROM gcr.io/distroless/static:nonroot
COPY --from=build /crdkit /crdkit
WORKDIR /work
ENTRYPOINT ["/crdkit"]
