/** Ids of things that exist, and values that keep a run short and at home. */
import fc from 'fast-check'
import type { Schema } from '../contract/document.ts'
import { DOMAIN_CERTIFICATE } from '../support/gateway/certificate.ts'

const GRAPHS = ['agent', 'slow', 'fail', 'ask', 'parent']

const { certificate, private_key } = DOMAIN_CERTIFICATE
const id = (name: string) => fc.nat(40).map((index) => `@@${name}:${index}@@`)

/** By the name of the field or parameter. */
const BY_NAME: Record<string, fc.Arbitrary<unknown>> = {
  assistant_id: fc.oneof(fc.constantFrom(...GRAPHS), id('assistant_id')),
  graph_id: fc.constantFrom(...GRAPHS),
  version: fc.constantFrom(1, 2),
  // The older name of the same thing.
  project_id: id('deployment_id'),
  // A run that waits for longer would look like one that hangs.
  after_seconds: fc.constantFrom(0, 0.05),
  // Nothing leaves this machine.
  webhook: fc.constant('http://127.0.0.1:9/webhook'),
  mcp_server_url: fc.constant('http://127.0.0.1:9/mcp'),
  timeout: fc.constantFrom(0, 1),
  repo_url: fc.constantFrom('https://git.example.com/agent.git', 'file:///nowhere'),
  name: fc.nat(500).map((number) => `name-${number}`),
  host: fc.oneof(
    id('host_id'),
    fc.nat(500).map((number) => `name-${number}.example.com`),
  ),
  domain: id('host_id'),
  certificate: fc.constantFrom(certificate, certificate, certificate.slice(1)),
  private_key: fc.constantFrom(private_key, private_key, certificate),
  source: fc.constantFrom('github', 'github', 'internal_source', 'external_docker'),
}

/** What such a field is best filled with; nothing when its schema says enough. */
export function known(name: string, schema: Schema): fc.Arbitrary<unknown> | undefined {
  const types = [schema.type ?? []].flat()
  if (!types.some((type) => ['string', 'number', 'integer'].includes(type))) return undefined
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name]
  const isId = name.endsWith('_id') || name.endsWith('_ids')
  return isId ? id(name.replace(/s$/, '')) : undefined
}

/** Ids seen in answers, by name, and which of them belong together. */
export class KnownIds {
  readonly #ids = new Map<string, string[]>()
  /** By an id: those that stood beside it, by name. */
  readonly #companions = new Map<string, Record<string, string>>()

  /** Takes up every id in an answer; the oldest make room. `idName` is what its own `id` is. */
  learn(answer: unknown, idName?: string): void {
    if (typeof answer !== 'object' || answer === null) return
    const { id, latest_revision_id, resources } = answer as Record<string, unknown>
    if (latest_revision_id) this.learn({ deployment_id: id, revision_id: latest_revision_id })
    else if (idName && id) this.learn({ [idName]: id })
    if (Array.isArray(resources)) for (const one of resources) this.learn(one, idName)
    const ids = Object.entries(answer).filter(
      (entry): entry is [string, string] =>
        entry[0].endsWith('_id') && typeof entry[1] === 'string',
    )
    for (const [name, value] of ids) this.#add(name, value, Object.fromEntries(ids))
    for (const value of Object.values(answer)) this.learn(value)
  }

  /**
   * The text with an id, encoded, for each `@@name:index@@`; a UUID of nothing where none is known.
   * Mostly those before the last one belong to it: a run's thread, a revision's deployment.
   */
  fill(text: string, encode: (id: string) => string): string {
    const tokens = [...text.matchAll(/@@(\w+):(\d+)@@/g)].toReversed()
    let filled = text
    let beside: Record<string, string> = {}
    for (const { 0: token, 1: name = '', 2: index = '', index: at } of tokens) {
      const owner = Number(index) % 5 > 0 ? beside[name] : undefined
      const id = owner ?? this.#pick(name, Number(index))
      beside = { ...this.#companions.get(id), ...beside }
      filled = filled.slice(0, at) + encode(id) + filled.slice(at + token.length)
    }
    return filled
  }

  #add(name: string, id: string, companions: Record<string, string>): void {
    const ids = this.#ids.get(name) ?? []
    this.#ids.set(name, [id, ...ids.filter((one) => one !== id)].slice(0, 40))
    this.#companions.set(id, { ...this.#companions.get(id), ...companions })
  }

  #pick(name: string, index: number): string {
    const ids = this.#ids.get(name) ?? []
    return ids[index % ids.length] ?? '00000000-0000-4000-8000-000000000000'
  }
}
