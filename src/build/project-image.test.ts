import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create } from 'tar'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { createRegistryClient } from '../artifacts/registry/client.ts'
import { createWays } from '../artifacts/registry/ways.ts'
import { systemClock } from '../core/clock.ts'
import type { BuildRequest } from '../core/deployment/builds/build.ts'
import type { BuildContainers } from '../core/deployment/builds/project-commands.ts'
import { noSandbox } from '../core/deployment/sandbox.ts'
import { EMPTY_REVISION_CONFIG, EMPTY_SOURCE_CONFIG } from '../core/deployment/sources/config.ts'
import { silentLog } from '../core/log.ts'
import type { PythonSettings } from '../project/python/settings.ts'
import { createGuardedFetch } from '../webhook/guarded-fetch.ts'
import { createBuilder } from './builder.ts'
import { pythonsFolder } from './layout.ts'
import { createProcessCommands } from './project-build.ts'

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
})

/** Containers that are processes, and write down of which image they would have been. */
function asProcesses(
  ran: { image: string; command: string; writable: readonly string[] }[],
): BuildContainers {
  const processes = createProcessCommands(noSandbox)
  return {
    ownImage: 'runyard',
    buildImage: async () => 'of the project',
    pushImage: async () => expect.fail('there is no registry'),
    hasImage: async () => true,
    removeImages: async () => {},
    open: async ({ image = 'runyard' }) => ({
      ...processes,
      async run(command, view, terms) {
        ran.push({ image, command: command.slice(1).join(' '), writable: view.writable })
        return processes.run(command, view, terms)
      },
    }),
  }
}

it('has nothing of a project’s own image write where the Pythons of all deployments lie', async () => {
  const uv = join(dir, 'uv')
  await writeFile(uv, '#!/bin/sh\n[ "$1" = --version ] && echo uv 0.13.9\n', { mode: 0o755 })
  const python: PythonSettings = {
    ...{ version: '3.12', dependencies: [], pipConfigFile: undefined },
    ...{ installer: 'auto', source: undefined, paths: [] },
  }
  const ran: Parameters<typeof asProcesses>[0] = []
  const builder = createBuilder({
    ...{ dir: join(dir, 'data'), uv, ownNode: '/nowhere', env: { PATH: process.env.PATH ?? '' } },
    tarballs: {
      async use(_path, work) {
        await work(await tarball())
        return true
      },
    },
    checkConfig: async () => ({
      ...{ node_version: undefined, needsNode: false, hasJsModules: false, notes: [], python },
      image: { dockerfile_lines: ['RUN true'], notes: [] },
    }),
    checkPackages: async () => [],
    containers: asProcesses(ran),
    ...{ clock: systemClock, log: silentLog },
  })
  const ended = builder.build(REQUEST, new AbortController().signal)
  await expect(ended).rejects.toThrow('uv could not get it')
  const brought = ran.filter(({ command }) => command.startsWith('python install'))
  expect(brought.map(({ image }) => image)).toEqual(['runyard'])
  const writing = ran.filter(({ writable }) => writable.includes(pythonsFolder(join(dir, 'data'))))
  expect(writing).toEqual(brought)
  expect(ran.map(({ image }) => image)).toContain('of the project')
})

it.each([
  ['https://registry.example.com/base', /must be an image such as .*: leave out https:\/\/\.$/],
  [
    '127.0.0.1:9/base',
    /: The registry 127\.0\.0\.1:9 is on the control plane's own machine\. Name /,
  ],
  [
    'registry.example.com:70000/base',
    /: The registry registry\.example\.com:70000 is not asked\. /,
  ],
])('says of the base %s which field is wrong, and what to give', async (base_image, why) => {
  const outgoing = createGuardedFetch({ allowed: [] })
  const wayTo = createWays({ own: undefined, ownOutgoing: outgoing, outgoing })
  const builder = createBuilder({
    ...{ dir: join(dir, 'data'), ownNode: '/nowhere', env: {} },
    tarballs: {
      async use(_path, work) {
        await work(await tarball())
        return true
      },
    },
    checkConfig: async () => ({
      ...{ node_version: undefined, needsNode: false, hasJsModules: false, notes: [] },
      image: { base_image, dockerfile_lines: [], notes: [] },
    }),
    checkPackages: async () => [],
    containers: asProcesses([]),
    images: { own: undefined, registry: createRegistryClient(wayTo) },
    ...{ clock: systemClock, log: silentLog },
  })
  const { message } = await builder.build(REQUEST, new AbortController().signal).then(
    () => expect.fail('it was built'),
    (error: Error) => error,
  )
  expect(message).toMatch(/^langgraph\.json: "base_image"/)
  expect(message).toMatch(why)
})

const REQUEST: BuildRequest = {
  ...{ revision_id: 'r1', deployment_id: 'd1', source: 'internal_source', secrets: [] },
  source_config: EMPTY_SOURCE_CONFIG,
  source_revision_config: { ...EMPTY_REVISION_CONFIG, source_tarball_path: 'd1/a.tar.gz' },
}

async function tarball(): Promise<string> {
  const cwd = join(dir, 'project')
  await mkdir(cwd)
  await writeFile(join(cwd, 'langgraph.json'), '{}')
  const file = join(dir, 'project.tar.gz')
  await create({ gzip: true, file, cwd }, ['.'])
  return file
}
