import type { ReactNode } from 'react'
import { pagesOf } from '../api/deployment-pages.ts'
import { sentenceOf } from '../api/deployments.ts'
import { Section, TextLink } from '../design/page.tsx'
import { Mark, type Tone } from '../design/status.tsx'
import { durationText } from '../design/text/format.ts'
import type { Need } from './queries.ts'

/** What needs attention: failed revisions, threads with a question, growing queues. */
export function NeedsSection({ needs }: { needs: readonly Need[] }) {
  if (needs.length === 0) return null
  return (
    <Section title="Needs attention">
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {needs.flatMap(linesOf).map(({ key, tone, name, text, action }) => (
          <li key={key} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
            <span className="flex min-w-0 flex-1 items-baseline gap-2.5">
              <span className="shrink-0">
                <Mark tone={tone} />
              </span>
              <span className="min-w-0 wrap-anywhere">
                <span className="font-medium">{name}</span>: {text}
              </span>
            </span>
            {action}
          </li>
        ))}
      </ul>
    </Section>
  )
}

interface Line {
  key: string
  tone: Tone
  name: string
  text: string
  action: ReactNode
}

function linesOf({
  deployment: { id, name },
  failed,
  waitingThreads,
  question,
  queue,
}: Need): Line[] {
  const lines: Line[] = []
  const threads = `${pagesOf(id).threads}?status=interrupted`
  if (failed) {
    lines.push({
      key: `${id} failed`,
      tone: 'bad',
      name,
      text: `#${failed.number} failed: ${sentenceOf(failed)}`,
      action: <TextLink to={pagesOf(id).revision(failed.id)}>See why</TextLink>,
    })
  }
  if (waitingThreads > 0) {
    lines.push({
      key: `${id} threads`,
      tone: 'wait',
      name,
      text:
        waitingThreads === 1
          ? 'one thread waits for an answer.'
          : `${waitingThreads} threads wait for an answer.`,
      action: (
        <span className="flex gap-4">
          {(waitingThreads > 1 || !question) && <TextLink to={threads}>See all</TextLink>}
          {question && <TextLink to={question}>Answer</TextLink>}
        </span>
      ),
    })
  }
  if (queue) {
    lines.push({
      key: `${id} queue`,
      tone: 'wait',
      name,
      text: `${queue.waiting} runs wait, the oldest for ${durationText(queue.ageSeconds * 1_000)}.`,
      action: <TextLink to={`${pagesOf(id).runs}?status=pending`}>See the queue</TextLink>,
    })
  }
  return lines
}
