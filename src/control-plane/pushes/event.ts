/** Reads push webhooks in the forms of GitHub and GitLab, and checks their signature. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

/** The headers of either form; names in lower case, absent ones `undefined`. */
export interface PushHeaders {
  /** GitHub, Gitea, Forgejo: `sha256=` and the HMAC of the body in hex. */
  'x-hub-signature-256'?: string | undefined
  'x-github-event'?: string | undefined
  /** GitLab: the secret itself. */
  'x-gitlab-token'?: string | undefined
  'x-gitlab-event'?: string | undefined
}

export interface Push {
  /** `refs/heads/main` */
  ref: string
  /** The commit that the branch is at now. */
  commit: string
  default_branch: string | undefined
}

const NO_COMMIT = /^0+$/
const PUSH_EVENTS = ['push', 'Push Hook']

const Repository = z.object({ default_branch: z.string().optional() })
const Body = z.object({
  ref: z.string().max(1024),
  before: z.string().max(64),
  after: z.string().regex(/^[0-9a-f]{40,64}$/),
  repository: Repository.optional(),
  project: Repository.optional(),
})

/** Whether the request proves that its sender knows the secret. */
export function isSigned(headers: PushHeaders, body: string, secret: string): boolean {
  const signature = headers['x-hub-signature-256']
  if (signature !== undefined) {
    const expected = createHmac('sha256', secret).update(body).digest('hex')
    return isSame(signature, `sha256=${expected}`)
  }
  return isSame(headers['x-gitlab-token'] ?? '', secret)
}

/** The push; or, as the end of a sentence, why this is no push to an existing branch. */
export function readPush(headers: PushHeaders, body: string): Push | { reason: string } {
  const event = headers['x-github-event'] ?? headers['x-gitlab-event'] ?? ''
  if (!PUSH_EVENTS.includes(event)) return { reason: `${event || 'no event'} is no push` }
  const parsed = Body.safeParse(parseJson(body))
  if (!parsed.success) return { reason: 'the body is no push of GitHub or GitLab' }
  const { ref, before, after, repository, project } = parsed.data
  if (!ref.startsWith('refs/heads/')) return { reason: `${ref} is no branch` }
  if (NO_COMMIT.test(before) || NO_COMMIT.test(after)) {
    return { reason: `${ref} was made or deleted, not pushed to` }
  }
  return { ref, commit: after, default_branch: (repository ?? project)?.default_branch }
}

/** Whether the push moved the branch that a revision with this `repo_ref` is built from. */
export function isTracked(push: Push, repo_ref: string | null): boolean {
  const branch = push.ref.slice('refs/heads/'.length)
  if (repo_ref === null) return branch === push.default_branch
  return repo_ref === branch || repo_ref === push.ref
}

/** GitHub can send its JSON as a form's `payload`. */
function parseJson(body: string): unknown {
  const text = body.startsWith('payload=') ? new URLSearchParams(body).get('payload') : body
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

function isSame(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
