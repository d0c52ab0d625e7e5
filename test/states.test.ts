import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { RUN_STATUSES, RUN_TRANSITIONS } from '../src/core/agent/run.ts'
import { DELIVERY_STATUSES, DELIVERY_TRANSITIONS } from '../src/core/agent/webhook.ts'
import { REVISION_STATUSES, REVISION_TRANSITIONS } from '../src/core/deployment/revision.ts'
import { CONSENT_STATUSES, CONSENT_TRANSITIONS } from '../src/core/oauth/consent.ts'
import { TOKEN_STATUSES, TOKEN_TRANSITIONS } from '../src/core/oauth/token.ts'
import { RULES } from '../src/core/rollout/next-step.ts'

const page = await readFile(new URL('../docs/states.md', import.meta.url), 'utf8')

function sectionOf(heading: string): string {
  return page.split(`## ${heading}\n`)[1] ?? ''
}

/** The arrows of the drawing below this heading, as `from --> to`, sorted. */
function drawn(heading: string): string[] {
  const drawing = /```mermaid\n(.*?)```/s.exec(sectionOf(heading))?.[1] ?? ''
  return [...drawing.matchAll(/^ {2}(\S+ --> \S+?)(?::.*)?$/gm)]
    .map((arrow) => arrow[1] ?? '')
    .sort()
}

/** The same from the list of transitions; an end points to `[*]`. */
function listed<Status extends string>(
  statuses: readonly Status[],
  transitions: Readonly<Record<Status, readonly Status[]>>,
): string[] {
  const arrows = statuses.flatMap((from) => {
    const next: readonly string[] = transitions[from]
    return (next.length === 0 ? ['[*]'] : next).map((to) => `${from} --> ${to}`)
  })
  return [`[*] --> ${statuses[0]}`, ...arrows].sort()
}

describe('the drawings of docs/states.md', () => {
  it('show every step of a run, and no other', () => {
    expect(drawn('A run')).toEqual(listed(RUN_STATUSES, RUN_TRANSITIONS))
  })

  it('show every step of a webhook delivery, and no other', () => {
    expect(drawn('A webhook delivery')).toEqual(listed(DELIVERY_STATUSES, DELIVERY_TRANSITIONS))
  })

  it('show every step of a revision, and no other', () => {
    expect(drawn('A revision')).toEqual(listed(REVISION_STATUSES, REVISION_TRANSITIONS))
  })

  it('name each rule for a deployment, in its order', () => {
    const rows = [...sectionOf('A deployment').matchAll(/^\| ([^|]+) \|/gm)].map(([, rule]) => rule)
    expect(rows).toEqual(['rule', ...RULES.map(({ why }) => why)])
  })

  it('show every step of a consent, and no other', () => {
    expect(drawn('A consent')).toEqual(listed(CONSENT_STATUSES, CONSENT_TRANSITIONS))
  })

  it('show every step of an OAuth token, and no other', () => {
    expect(drawn('An OAuth token')).toEqual(listed(TOKEN_STATUSES, TOKEN_TRANSITIONS))
  })
})
