# Caddy with the guard. The context has the results of `guardcli build caddy --output caddy`. Caddy has the paths and
# arguments of the image that its project publishes.
ARG BASE=docker.io/library/debian:bookworm-slim
FROM ${BASE} AS files
RUN apt-get update -q && apt-get install -q -y --no-install-recommends ca-certificates media-types
WORKDIR /root-fs
RUN install -D -m 0644 /etc/ssl/certs/ca-certificates.crt etc/ssl/certs/ca-certificates.crt \
 && install -D -m 0644 /etc/mime.types etc/mime.types \
 && mkdir -p config/caddy data/caddy etc/caddy srv var/lib/dpkg \
 && dpkg-query --status ca-certificates media-types >var/lib/dpkg/status \
 && printf ':80\nroot * /srv\nfile_server\n' >etc/caddy/Caddyfile \
 && install -d -m 1777 tmp
COPY caddy usr/bin/caddy
COPY caddy.LICENSES.txt usr/share/doc/request-guard/LICENSES.txt

FROM scratch
COPY --from=files /root-fs /
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
EXPOSE 80 443 443/udp
WORKDIR /srv
CMD ["/usr/bin/caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
