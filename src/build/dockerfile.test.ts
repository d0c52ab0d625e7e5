import { expect, it } from 'vitest'
import { readLines, writeDockerfile } from './dockerfile.ts'

it('writes each instruction in one line, as it was read', () => {
  const lines = readLines([
    'RUN apt-get update \\\n  # of no use\n\n && apt-get install --yes jq',
    'env A=b',
    'COPY --chown=1:1 data /data\nADD a.tar.gz /a',
  ])
  expect(writeDockerfile('base@sha256:0', ['COPY --from=runyard /opt /opt'], lines)).toBe(
    'FROM base@sha256:0\nUSER 0:0\nCOPY --from=runyard /opt /opt\n' +
      'RUN apt-get update  && apt-get install --yes jq\nENV A=b\n' +
      'COPY --chown=1:1 data /data\nADD a.tar.gz /a\n',
  )
})

it.each([
  ['FROM debian AS other', /"base_image"/],
  ['from other', /"base_image"/],
  ['RUN true\nFROM other', /"base_image"/],
  ['RUN true \\\n# a comment\nFROM other\nCOPY --from=other / /', /leave out --from=other/],
  ['COPY --from=registry.example.com/theirs:v1 / /stolen', /leave out --from/],
  ['COPY --chown=1:1 --from=theirs / /stolen', /leave out --from/],
  ['COPY --chown=1\\ 1 --from=theirs / /stolen', /without quotes/],
  ['COPY --chown=1:1\u00e0--from=theirs / /stolen', /letters of ASCII/],
  ['COPY --chown=1:1\u0085--from=theirs / /stolen', /control characters/],
  ['COPY \u0085--from=theirs / /stolen', /control characters/],
  ['COPY \u00a0--from=theirs / /stolen', /leave out --from/],
  ['RUN --mount=type=bind,from=theirs,target=/x cat /x', /leave out --mount/],
  ['RUN --network=host curl 127.0.0.1', /leave out --network/],
  ['ADD http://127.0.0.1:8124/ /', /have RUN fetch/],
  ['ADD $ADDRESS /', /have RUN fetch/],
  ['ADD ["http:\\/\\/127.0.0.1:8124/", "/x"]', /have RUN fetch/],
  ['ADD http:\\/\\/127.0.0.1:8124/ /x', /have RUN fetch/],
  ["ADD http:'/'/127.0.0.1:8124/ /x", /have RUN fetch/],
  ['RUN cat <<EOF\nFROM other\nEOF', /without "<<"/],
  ['RUN true \\\\', /a backslash/],
  ['LABEL runyard.installation=theirs', /labels of Runyard/],
  ['ENTRYPOINT ["sh"]', /agent server/],
  ['VOLUME /data', /write one of RUN/],
  ['__proto__ x', /write one of RUN/],
])('refuses %j', (lines, why) => {
  expect(() => readLines([lines])).toThrow(why)
})
