import type { Revision } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { pagesOf } from '../../api/deployment-pages.ts'
import { CircleAlert } from '../../design/icon.gen.tsx'
import { TextLink } from '../../design/page.tsx'
import { LogLines } from '../logs/log-lines.tsx'
import { logTailQuery } from '../logs/queries.ts'

/** Number of log lines below the sentence. */
const LINES = 14

/** Why a revision failed, in a sentence. */
export function FailureReason({ revision }: { revision: Revision }) {
  const { step, sentence } = reasonOf(revision)
  return (
    <div className="flex gap-2.5 rounded-md border border-bad/40 bg-bad-soft px-3 py-2.5">
      <CircleAlert size={16} className="mt-0.5 shrink-0 text-bad" aria-hidden="true" />
      <p className="min-w-0 wrap-anywhere whitespace-pre-wrap">
        {step && <span className="font-medium">{step} failed. </span>}
        {sentence}
      </p>
    </div>
  )
}

/** Why a revision failed: the sentence first, then the end of the log of that step. */
export function Failure(props: { deployment_id: string; revision: Revision }) {
  const { deployment_id, revision } = props
  const kind = revision.status === 'DEPLOY_FAILED' ? 'deploy' : 'build'
  const tail = useQuery(logTailQuery({ deployment_id, revision_id: revision.id, kind }, LINES))
  return (
    <div className="space-y-2">
      <FailureReason revision={revision} />
      {tail.data && tail.data.length > 0 && (
        <>
          <LogLines entries={tail.data} label={`End of the ${WORDS[kind]} log`} />
          <p className="text-sm">
            <TextLink to={`${pagesOf(deployment_id).revision(revision.id)}?log=${kind}`}>
              {`The whole ${WORDS[kind]} log`}
            </TextLink>
          </p>
        </>
      )}
    </div>
  )
}

const WORDS = { build: 'build', deploy: 'server' }

const STEPS: Record<string, string> = {
  fetch: 'Fetching the source',
  unpack: 'Unpacking the source',
  configuration: 'The configuration',
  install: 'Installing the packages',
  build: 'The build',
  start: 'The start',
}

/** A message is `<step>: <sentence>`; further lines are the end of the log, which is shown separately. */
function reasonOf({ status_message }: Revision): { step?: string; sentence: string } {
  if (!status_message) return { sentence: 'No reason was noted.' }
  const [, word = '', rest] = /^([a-z]+): ([\s\S]*)$/.exec(status_message) ?? []
  const step = STEPS[word]
  const [sentence = ''] = (step ? (rest ?? '') : status_message).split('\n')
  return { ...(step && { step }), sentence }
}
