# The image in which the reader runs: Python, DuckDB and the reader, no network, no package manager's lists, no git.
# Everything that is not a Debian package is prepared on the host and copied, so that the build needs no other server.
ARG BASE
FROM ${BASE}

RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 libstdc++6 >/dev/null \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*

RUN groupadd --gid 10001 agent \
 && useradd --uid 10001 --gid 10001 --home-dir /home/agent --no-create-home --shell /usr/sbin/nologin agent \
 && mkdir -p /home/agent /work /data /task \
 && chown 10001:10001 /home/agent /work

COPY site /opt/site
RUN python3 -m compileall -q /opt/site

ENV PYTHONPATH=/opt/site PYTHONDONTWRITEBYTECODE=1 PYTHONSAFEPATH=1 LANG=C.UTF-8

# Last, because it is what changes: a new reader costs one small layer.
COPY reader /opt/site/reader
RUN python3 -m compileall -q /opt/site/reader && python3 -c "import duckdb, markdown_it, reader"

USER 10001:10001
WORKDIR /work
