/** Signs in with the code of a link, or with an API key. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Form } from 'react-aria-components'
import { BASE_PATH, MODE } from '../../api/mode.ts'
import { statusOf } from '../../api/query-client.ts'
import { refusalQuery, type Session, sessionQuery, signIn, waysQuery } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { ErrorNote, reasonOf } from '../../design/error-note.tsx'
import { TextField } from '../../design/field.tsx'
import { LogIn } from '../../design/icon.gen.tsx'
import { useTitle } from '../../design/page.tsx'
import { Spinner } from '../../design/spinner.tsx'
import { Mark } from '../../design/status.tsx'
import { Logo } from '../logo.tsx'
import { HeadersForm } from './headers-form.tsx'

export function SignInPage() {
  useTitle('Sign in')
  return (
    <main className="flex min-h-dvh items-start justify-center p-4 pt-[18vh]">
      <div className="w-full max-w-sm space-y-5 rounded-lg border border-line bg-surface p-6">
        <h1 className="flex items-center gap-3 text-xl font-semibold">
          <Logo size={28} />
          Sign in to Runyard
        </h1>
        {MODE === 'control-plane' ? <CredentialForms /> : <StudioForms />}
      </div>
    </main>
  )
}

/** A user who has signed in to the Studio returns here if the project's own `auth` refuses them. */
function StudioForms() {
  const to = useWantedPage()
  const { data: refusal, isLoading } = useQuery(refusalQuery())
  if (isLoading) return <Wait>One moment.</Wait>
  if (refusal === undefined) return <CredentialForms />
  if (refusal) return <HeadersForm refusal={refusal} to={to} />
  return (
    <p>
      This agent server lets you in.{' '}
      <a href={BASE_PATH} className="text-accent underline">
        Open the Studio
      </a>
    </p>
  )
}

function CredentialForms() {
  const link = useLink()
  const enter = useEnter()
  useEffect(() => {
    if (link.session) enter(link.session)
  }, [link.session, enter])
  if (link.isPending || link.session) return <Wait>Your link is being checked.</Wait>
  if (link.question !== undefined) return <Replace question={link.question} onGo={link.replace} />
  return (
    <>
      {link.error !== undefined ? <UsedLink error={link.error} /> : <Ended />}
      <IssuerButton />
      <KeyForm onEnter={enter} />
      <NoKey />
    </>
  )
}

function Wait({ children }: { children: string }) {
  return (
    <p role="status" className="flex items-center gap-2 text-ink-soft">
      <Spinner />
      {children}
    </p>
  )
}

function NoKey() {
  return (
    <p className="border-t border-line pt-4 text-sm text-ink-soft">
      No key at hand?{' '}
      {MODE === 'control-plane' ? (
        <>
          <code>runyard open</code>, on the machine that runs Runyard, opens this page and signs you
          in. The first start prints the admin key, and keeps it in <code>admin.key</code> of its
          data folder.
        </>
      ) : (
        <>
          The keys of this agent server stand in <code>RUNYARD_API_KEYS</code> where it was started.
        </>
      )}
    </p>
  )
}

/** Shown to a user whose session has ended. */
function Ended() {
  const { ended } = useSearch({ strict: false }) as { ended?: unknown }
  if (ended !== true) return null
  return (
    <div
      role="status"
      className="flex gap-2.5 rounded-md border border-wait/40 bg-wait-soft px-3 py-2.5"
    >
      <span className="mt-1.5">
        <Mark tone="wait" />
      </span>
      <p>
        <strong className="font-medium">Your session has ended.</strong> Sign in again, and go on
        where you were.
      </p>
    </div>
  )
}

/** Shown if another user is signed in with this browser. */
function Replace({ question, onGo }: { question: string; onGo: () => void }) {
  return (
    <section aria-label="Replace the session" className="space-y-4">
      <p>{question}</p>
      <p className="text-ink-soft">Go on only if you have asked for this link.</p>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onPress={onGo}>
          Sign in with the link
        </Button>
        <Button onPress={() => location.assign(BASE_PATH)}>Stay signed in</Button>
      </div>
    </section>
  )
}

function UsedLink({ error }: { error: unknown }) {
  return (
    <ErrorNote title="This link does not work." error={reasonOf(error)}>
      <p className="text-ink-soft">
        If you have followed it in this browser before,{' '}
        <a href={BASE_PATH} className="text-accent underline">
          you may be signed in already
        </a>
        .
      </p>
    </ErrorNote>
  )
}

/** Signs in through the organisation's identity provider. */
function IssuerButton() {
  const { data: ways } = useQuery(waysQuery())
  const to = useWantedPage()
  if (!ways?.oidc) return null
  const search = to ? `?to=${encodeURIComponent(to)}` : ''
  return (
    <div className="space-y-4">
      <Button
        kind="primary"
        isWide
        icon={<LogIn size={14} />}
        onPress={() => location.assign(`${ways.oidc?.path}${search}`)}
      >
        {`Go on with ${new URL(ways.oidc.issuer).host}`}
      </Button>
      <p className="flex items-center gap-3 text-sm text-ink-faint before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
    </div>
  )
}

function KeyForm({ onEnter }: { onEnter: (session: Session) => void }) {
  const [key, setKey] = useState('')
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  const send = async () => {
    setPending(true)
    try {
      onEnter(await signIn({ api_key: key.trim() }))
    } catch (reason) {
      setError(reason)
      setPending(false)
    }
  }
  return (
    <Form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <TextField
        label="API key"
        type="password"
        name="api_key"
        autoComplete="current-password"
        placeholder="ry_…"
        isMono
        autoFocus
        value={key}
        onChange={(value) => {
          setKey(value)
          setError(undefined)
        }}
        {...(error !== undefined && { error: reasonOf(error) })}
      />
      <Button
        type="submit"
        kind="primary"
        isPending={isPending}
        isDisabled={key.trim() === ''}
        isWide
      >
        Sign in
      </Button>
    </Form>
  )
}

/** The page the user wanted; only within this app. */
function useWantedPage(): string | undefined {
  const { to } = useSearch({ strict: false }) as { to?: unknown }
  return typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : undefined
}

/** Opens the page that the user wanted. */
function useEnter(): (session: Session) => void {
  const router = useRouter()
  const queries = useQueryClient()
  const to = useWantedPage()
  const [enter] = useState(() => (session: Session) => {
    queries.clear()
    queries.setQueryData(sessionQuery().queryKey, session)
    // The router's paths do not include the app's base path.
    router.history.replace(BASE_PATH + (to ?? '/').slice(1))
  })
  return enter
}

interface Link {
  isPending: boolean
  session?: Session
  error?: unknown
  /** Asks whether to sign the current user out and the new one in. */
  question?: string
}

/** The code after the `#` of a link. It is removed from the address at once, and used once. */
function useLink(): Link & { replace: () => void } {
  const [code] = useState(codeOfLink)
  const [link, setLink] = useState<Link>({ isPending: code !== undefined })
  const [take] = useState(() => async (replaces_session?: true) => {
    if (code === undefined) return
    setLink({ isPending: true })
    try {
      const session = await signIn({ code, ...(replaces_session && { replaces_session }) })
      setLink({ isPending: false, session })
    } catch (error) {
      const isAsked = statusOf(error) === 409
      setLink({ isPending: false, ...(isAsked ? { question: reasonOf(error) } : { error }) })
    }
  })
  useEffect(() => {
    // An earlier effect has taken the code out of the address.
    if (codeOfLink() === undefined) return
    history.replaceState(history.state, '', location.pathname + location.search)
    void take()
  }, [take])
  return { ...link, replace: () => void take(true) }
}

function codeOfLink(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined
}
