import { beforeEach, describe, expect, it } from 'vitest'
import { aFolder } from '../../test/support/control-plane/fake-builder.ts'
import { FakeRuntimeDriver } from '../../test/support/control-plane/fake-runtime-driver.ts'
import { systemClock } from '../core/clock.ts'
import type { Artifact } from '../core/deployment/artifacts/artifact.ts'
import type { RuntimeDriver } from '../core/deployment/runtime.ts'
import { createRefusingDriver } from './refusing-driver.ts'

const image: Artifact = { kind: 'image', image_uri: 'registry.example.com/agent@sha256:c0ffee' }

function specOf(artifact: Artifact) {
  const owner = { deployment_id: 'd', deployment_name: 'support' }
  return { revision_id: artifact.kind, ...owner, artifact, secrets: [], resource_spec: null }
}

let scripted: FakeRuntimeDriver
let driver: RuntimeDriver
let changes: string[]
beforeEach(() => {
  scripted = new FakeRuntimeDriver()
  driver = createRefusingDriver(
    { name: 'process', artifacts: ['folder'], clock: systemClock },
    scripted,
  )
  changes = []
  driver.onChange((revision_id) =>
    changes.push(`${revision_id} ${driver.observe(revision_id).kind}`),
  )
})

describe('a revision that its driver cannot start', () => {
  it('has failed, with a reason that says what to do', async () => {
    await driver.start(specOf(image))
    const reason =
      'The revision is an image, and the runtime driver process only starts folders. ' +
      'Set RUNYARD_RUNTIME to a driver that starts images, or deploy from another source.'
    expect(driver.observe('image')).toEqual({ kind: 'failed', reason })
    expect(driver.replicas('image')).toEqual([
      { state: 'failed', since: expect.any(Number), restarts: 0, reason, load: null },
    ])
    expect(driver.revisionsOf('d')).toEqual(['image'])
    expect(scripted.starts).toEqual([])
  })

  it('is told of, and gone once it is stopped', async () => {
    await driver.start(specOf(image))
    await driver.stop('image', 0)
    expect(changes).toEqual(['image failed', 'image absent'])
    expect(driver.revisionsOf('d')).toEqual([])
    expect(driver.replicas('image')).toEqual([])
    expect(scripted.stopped).toEqual([])
  })

  it('is the driver’s once what was built of it can be started', async () => {
    await driver.start(specOf(image))
    await driver.start({ ...specOf(aFolder('folder')), revision_id: 'image' })
    expect(changes).toEqual(['image failed', 'image starting', 'image healthy'])
    expect(driver.revisionsOf('d')).toEqual(['image'])
    await driver.stop('image', 0)
    expect(scripted.stopped).toEqual(['image'])
  })

  it('is gone with all others', async () => {
    await driver.start(specOf(image))
    await driver.stopAll(0)
    expect(driver.observe('image')).toEqual({ kind: 'absent' })
  })
})

it('leaves all else to the driver', async () => {
  const spec = specOf(aFolder('folder'))
  await driver.start(spec)
  expect(scripted.starts).toEqual([spec])
  driver.scale('folder', 2, async () => {})
  await driver.activate('folder')
  await driver.drain('folder', { graceMs: 5, checkpointMs: 5 })
  expect(scripted).toMatchObject({ activated: ['folder'], drained: ['folder 5'] })
  expect(driver.replicas('folder')).toHaveLength(2)
  await driver.stop('folder', 0)
  expect(changes).toEqual(['folder starting', 'folder healthy', 'folder absent'])
})
