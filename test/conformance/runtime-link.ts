/** What a driver and an agent server hear of each other, whatever the channel between them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Conversation, converse } from '../../src/link/conversation.ts'
import type { AgentLink, DriverMessage } from '../../src/link/messages.ts'
import { eventually } from '../support/eventually.ts'

/** The driver's end; at the other one is `test/fixtures/linked-agent.ts`, with these secrets. */
export interface LinkWorld {
  link: AgentLink
  /** Settles with the exit code of the agent server. */
  exited: Promise<number | null>
  close(): Promise<void>
}

export interface Heard {
  talk: Conversation
  files: string[]
  loads: { running: number }[]
}

/** Listens from now on. */
export function hear({ link, exited }: Pick<LinkWorld, 'link' | 'exited'>): Heard {
  const files: string[] = []
  const loads: Heard['loads'] = []
  const talk = converse(link, {
    exited,
    onSources: (more) => files.push(...more),
    onLoad: (load) => loads.push(load),
    onLast: () => {},
  })
  return { talk, files, loads }
}

export function testRuntimeLink(
  name: string,
  open: (secrets: Record<string, string>) => Promise<LinkWorld>,
): void {
  describe(`the link over ${name}`, () => {
    let world: LinkWorld
    let heard: Heard
    const openWith = async (secrets: Record<string, string> = {}) => {
      world = await open(secrets)
      heard = hear(world)
    }
    beforeEach(() => openWith())
    afterEach(() => world.close())

    it('says that the agent server is ready, and what the gateway has to know of it', async () => {
      expect(await heard.talk.ready).toMatchObject({ url: 'http://0.0.0.0:1', has_own_auth: true })
      expect(heard.talk.failure).toBeUndefined()
    })

    it('carries questions to the agent server, and its answers back', async () => {
      expect(await heard.talk.inspect()).toMatchObject({ parked: 3 })
      expect(await heard.talk.measure()).toMatchObject({ started_at: 1 })
      expect(await heard.talk.drain({ graceMs: 5, checkpointMs: 6 })).toBe(4711)
    })

    it('activates, which shows in what the agent server reports of itself', async () => {
      await heard.talk.activate()
      await eventually(() => heard.loads.at(-1)?.running).toBe(1)
    })

    it('asks once more when it is ready what was asked before that', async () => {
      await world.close()
      await openWith({ LATE: '1' })
      await new Promise<void>((resolve) => world.link.onMessage(() => resolve()))
      await heard.talk.activate()
      await eventually(() => heard.loads.at(-1)?.running).toBe(1)
    })

    it('ignores what nobody understands, and what is not whole', async () => {
      await heard.talk.ready
      const send = (message: unknown) => world.link.send(message as DriverMessage)
      for (const junk of [null, 4711, [], 'drain', { type: 'dance' }]) send(junk)
      send({ type: 'drain', graceMs: 'long', checkpointMs: -1 })
      expect(await heard.talk.inspect()).toMatchObject({ parked: 3 })
    })

    it('ends the agent server at the word of the driver', async () => {
      await heard.talk.ready
      world.link.send({ type: 'stop' })
      expect(await world.exited).toBe(7)
    })

    it('answers nothing more once the agent server is gone', async () => {
      await heard.talk.ready
      world.link.send({ type: 'stop' })
      await world.exited
      expect(await heard.talk.inspect()).toBeUndefined()
      expect(await heard.talk.drain({ graceMs: 5, checkpointMs: 6 })).toBeUndefined()
    })

    it('says why there is no agent server, before that ends', async () => {
      await world.close()
      await openWith({ FAILS: '1' })
      expect(await world.exited).toBe(1)
      expect(heard.talk.failure).toBe('There is no ink.')
    })
  })
}
