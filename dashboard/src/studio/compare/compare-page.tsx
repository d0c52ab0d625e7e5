/** Two runs, checkpoints or threads side by side: facts, messages, and how their states differ. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useAgentServer } from '../../api/agent-server.tsx'
import { Button, ButtonLink } from '../../design/button.tsx'
import { ArrowLeftRight } from '../../design/icon.gen.tsx'
import { JsonDiff } from '../../design/json/diff.tsx'
import { Card, Page, Section } from '../../design/page.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { Talks } from '../../shell/talks.tsx'
import { assistantQuery } from '../queries.ts'
import { drawMessage } from '../state/message-view.tsx'
import { MessagePairs } from './message-pairs.tsx'
import { SameInput } from './same-input.tsx'
import { type Side, useCompareSearch } from './search.ts'
import { SideCard } from './side-card.tsx'
import { messagesOf, restOf } from './side-facts.ts'
import { SidePicker } from './side-picker.tsx'
import { type SideData, sideQuery } from './side-queries.ts'

export function ComparePage() {
  const { assistant } = useParams({ strict: false }) as { assistant: string }
  const server = useAgentServer()
  const { data } = useQuery(assistantQuery(server, assistant))
  const { search, change } = useCompareSearch()
  const { left, right } = search
  return (
    <Page
      title="Compare"
      facts={
        <span>
          Two runs, checkpoints or threads of {data?.name ?? 'an assistant'}, or of others
        </span>
      }
      actions={
        <>
          <ButtonLink
            kind="quiet"
            to={server.pages.studio(assistant, {
              ...(left && { thread: left.thread }),
              ...(left?.checkpoint && { checkpoint: left.checkpoint }),
            })}
          >
            Back to the Studio
          </ButtonLink>
          <Button
            icon={<ArrowLeftRight size={14} />}
            isDisabled={!left || !right}
            onPress={() => change({ left: right, right: left })}
          >
            Swap sides
          </Button>
        </>
      }
    >
      <div className="grid gap-4 md:grid-cols-2">
        <Half name="left" side={left} other={undefined} />
        <Half name="right" side={right} other={left} />
      </div>
      {left && right && <Differences left={left} right={right} />}
    </Page>
  )
}

function Half(props: { name: 'left' | 'right'; side: Side | undefined; other: Side | undefined }) {
  const { name, side, other } = props
  const { change } = useCompareSearch()
  const choose = (chosen: Side) => change({ [name]: chosen })
  return (
    <section aria-label={name === 'left' ? 'Left' : 'Right'} className="min-w-0">
      {side ? (
        <SideCard side={side} onChoose={choose} />
      ) : (
        <Card className="space-y-4">
          <h2 className="font-medium">Compare with</h2>
          <SidePicker side={other} onChoose={choose} />
          {other && (
            <Talks>
              <SameInput side={other} onRun={choose} />
            </Talks>
          )}
        </Card>
      )}
    </section>
  )
}

function Differences({ left, right }: { left: Side; right: Side }) {
  const server = useAgentServer()
  const sides = [useQuery(sideQuery(server, left)), useQuery(sideQuery(server, right))] as const
  const [a, b] = [sides[0].data, sides[1].data]
  // Each side's card shows its own error.
  if (sides.some(({ error }) => error)) return null
  if (!a || !b) return <Skeleton lines={6} className="mt-6" />
  return (
    <div className="mt-6">
      <Messages a={a} b={b} />
      <Section title="What differs in the state">
        <Card>
          <JsonDiff
            before={restOf(a.state?.values)}
            after={restOf(b.state?.values)}
            draw={drawMessage}
            same={<p className="text-ink-soft">Beside messages, both states are the same.</p>}
          />
        </Card>
      </Section>
    </div>
  )
}

function Messages({ a, b }: { a: SideData; b: SideData }) {
  const [left, right] = [messagesOf(a.state?.values), messagesOf(b.state?.values)]
  if (left.length === 0 && right.length === 0) return null
  return (
    <Section title="Messages">
      <MessagePairs left={left} right={right} />
    </Section>
  )
}
