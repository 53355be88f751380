// Functions without a body are only allowed beside a file like this.
