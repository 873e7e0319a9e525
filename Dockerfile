# privpac with all that it reads and shows, run by a user without rights on the machine:
#   docker build --tag privpac .
#   docker run --rm --user "$(id -u)" --volume "$PWD:/data" privpac learn visits.csv --class thresholds …
#   docker run --rm --user "$(id -u)" --volume "$PWD:/data" --network host privpac explore visits.csv
# The explorer listens on this machine only, so it needs the network of this machine.
FROM python:3.13-slim AS build
WORKDIR /source
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY examples examples
COPY src src
RUN python -m venv /privpac
RUN /privpac/bin/python -m pip --disable-pip-version-check install --no-cache-dir --no-compile --constraint constraints.txt '.[app,fast]'
# compiled here, by content: the user cannot write it later, and copies of files may have other times
RUN python -m compileall -qq --invalidation-mode unchecked-hash /privpac/lib

FROM python:3.13-slim
COPY --from=build /privpac /privpac
RUN python -m compileall -qq --invalidation-mode unchecked-hash /usr/local/lib/python3.*
RUN useradd --uid 1000 --no-create-home analyst && mkdir /data && chown analyst /data
# any user may run it, also one without a home
ENV PATH=/privpac/bin:$PATH PYTHONDONTWRITEBYTECODE=1 NUMBA_CACHE_DIR=/var/tmp/numba HOME=/tmp
USER analyst
WORKDIR /data
ENTRYPOINT ["privpac"]
CMD ["--help"]
