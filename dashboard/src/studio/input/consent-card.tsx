import { useState } from 'react'
import { Button, OutsideLink } from '../../design/button.tsx'
import { ExternalLink } from '../../design/icon.gen.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { Markdown } from '../../design/text/markdown.tsx'
import { useStudio } from '../studio-context.tsx'
import { type InterruptShape, YES_NO } from './interrupt-shape.ts'
import { PlainCard } from './plain-card.tsx'

type Consent = Extract<InterruptShape, { kind: 'consent' }>

interface ConsentCardProps {
  shape: Consent
  answer: (value: unknown) => void
  isPending: boolean
}

/** Links to the page where a user gives the agent access, and continues the run when they return. */
export function ConsentCard({ shape, answer, isPending }: ConsentCardProps) {
  const [isOpened, setOpened] = useState(false)
  const [isOther, setOther] = useState(false)
  return (
    <>
      <Asked shape={shape} />
      {!shape.isLink && <NoLink url={shape.url} />}
      {isOther ? (
        <PlainCard
          shape={{ kind: 'plain', value: undefined, choices: YES_NO }}
          answer={answer}
          isPending={isPending}
        />
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          {shape.isLink && (
            <OutsideLink
              href={shape.url}
              kind={isOpened ? 'plain' : 'primary'}
              icon={<ExternalLink size={14} aria-hidden="true" />}
              onClick={() => setOpened(true)}
            >
              {`Open ${new URL(shape.url).host}`}
            </OutsideLink>
          )}
          <Button
            kind={isOpened || !shape.isLink ? 'primary' : 'plain'}
            isPending={isPending}
            onPress={() => answer(true)}
          >
            I have consented, go on
          </Button>
          <Button kind="quiet" isDisabled={isPending} onPress={() => setOther(true)}>
            Answer otherwise
          </Button>
        </div>
      )}
      {shape.isLink && (
        <p className="text-xs text-ink-faint">
          The page opens in a new tab. Go on here when it says that you are done. Consenting there
          gives the agent your own account: do so only if it asks you.
        </p>
      )}
    </>
  )
}

/** The assistant, the provider and the scopes of the request. */
function Asked({ shape: { provider, scopes, question, rest } }: { shape: Consent }) {
  const { assistant } = useStudio()
  return (
    <>
      <p>
        <strong className="font-medium">{assistant.name}</strong> asks for access to your account
        {provider && (
          <>
            {' at '}
            <strong className="font-medium">{provider}</strong>
          </>
        )}
        {scopes.length > 0 ? ', with these scopes:' : '.'}
      </p>
      {scopes.length > 0 && (
        <ul aria-label="Scopes" className="flex flex-wrap gap-1.5">
          {scopes.map((scope) => (
            <li key={scope}>
              <code className="rounded-sm border border-line bg-sunken px-1.5 py-0.5 wrap-anywhere">
                {scope}
              </code>
            </li>
          ))}
        </ul>
      )}
      {question && (
        <div className="text-ink-soft">
          <Markdown text={question} />
        </div>
      )}
      {rest !== undefined && <JsonView value={rest} />}
    </>
  )
}

function NoLink({ url }: { url: string }) {
  return (
    <p>
      The address that it gives for this is no web page, and so no link:{' '}
      <code className="wrap-anywhere">{url}</code>
    </p>
  )
}
