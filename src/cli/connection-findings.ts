/** Findings of `runyard doctor --client`: whether a Runyard answers, whose key it sees, and its version. */
import type { ClientConfig } from '../settings/config.ts'
import { readVersion } from '../version.ts'

/** Like the machine's findings (`doctor/finding.ts`). */
export interface Finding {
  what: string
  status: 'ok' | 'warning' | 'failed'
  says: string
  mend?: string
}

const ANSWER_MS = 30_000

export async function findConnection({ url, apiKey, keySource }: ClientConfig): Promise<Finding[]> {
  const ok = await ask(`${url}/ok`)
  if (ok instanceof Error) {
    const mend = 'start one with "runyard up", or say where it is with --url or RUNYARD_URL'
    return [{ what: 'address', status: 'failed', says: `${url}: ${reasonOf(ok)}`, mend }]
  }
  const answer = await ask(`${url}/v2/deployments?limit=1`, { 'x-api-key': apiKey })
  return [ofAddress(url, ok), ...ofAnswer(answer, keySource)]
}

async function ask(url: string, headers: Record<string, string> = {}): Promise<Response | Error> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  return fetch(url, { headers, signal }).catch((error: Error) => error)
}

function ofAddress(url: string, { status }: Response): Finding {
  if (status === 200) return { what: 'address', status: 'ok', says: `${url} answers` }
  const says = `${url}/ok answers ${status}`
  const mend =
    'look into the log of the one that answers there: is it a Runyard, and is its database there?'
  return { what: 'address', status: 'failed', says, mend }
}

function ofAnswer(answer: Response | Error, keySource: string): Finding[] {
  if (answer instanceof Error) {
    const says = `could not be tried: ${reasonOf(answer)}`
    const mend = 'try again, and look into the log of the one that answers there'
    return [{ what: 'key', status: 'failed', says, mend }]
  }
  return [ofKey(answer, keySource), ...ofVersion(answer.headers.get('x-runyard-version'))]
}

function ofKey({ status }: Response, keySource: string): Finding {
  if (status === 200) return { what: 'key', status: 'ok', says: `taken, from ${keySource}` }
  if (status === 403) {
    const says = `taken, from ${keySource}; its role may call agents only`
    return {
      what: 'key',
      status: 'warning',
      says,
      mend: 'to deploy, ask for one of role developer',
    }
  }
  const says = `the one from ${keySource} is refused (${status})`
  const mend = 'ask an admin for one ("runyard keys create"), and set RUNYARD_API_KEY'
  return { what: 'key', status: 'failed', says, mend }
}

/** Without a valid key, Runyard does not send its version. */
function ofVersion(there: string | null): Finding[] {
  if (there === null) return []
  const here = readVersion()
  if (there === here) return [{ what: 'version', status: 'ok', says: `${here}, on both sides` }]
  const says = `${here} here, ${there} there: some commands may not fit`
  return [{ what: 'version', status: 'warning', says, mend: `install runyard@${there}` }]
}

function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error
    ? cause.message || String((cause as { code?: string }).code)
    : message
}
