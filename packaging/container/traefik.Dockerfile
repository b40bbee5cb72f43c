# Traefik with the guard compiled in. The context has the results of `guardcli build traefik --output traefik`, and
# .traefik.yml of the module. Traefik has the user, paths and arguments of the image that its project publishes.
ARG BASE=docker.io/library/debian:bookworm-slim
FROM ${BASE} AS files
RUN apt-get update -q && apt-get install -q -y --no-install-recommends ca-certificates tzdata
WORKDIR /root-fs
RUN install -D -m 0644 /etc/ssl/certs/ca-certificates.crt etc/ssl/certs/ca-certificates.crt \
 && mkdir -p usr/share var/lib/dpkg \
 && cp -R /usr/share/zoneinfo usr/share/zoneinfo \
 && dpkg-query --status ca-certificates tzdata >var/lib/dpkg/status \
 && install -d -m 1777 tmp
COPY traefik usr/local/bin/traefik
COPY traefik.LICENSES.txt usr/share/doc/request-guard/LICENSES.txt
COPY .traefik.yml plugins-local/src/github.com/request-guard/guard/.traefik.yml

FROM scratch
COPY --from=files /root-fs /
EXPOSE 80
ENTRYPOINT ["/usr/local/bin/traefik"]
