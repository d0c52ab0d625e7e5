/**
 * An S3 server for tests: moto's, which its makers keep up with Amazon's own interfaces; pinned, installed
 * from PyPI in seconds. It keeps all in memory. `TEST_S3_URL` names another one, as RUNYARD_ARTIFACTS_URL would, with its
 * keys in `AWS_*`: its bucket has to be there.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { installPython, NO_PYTHON } from '../hosts/python.ts'
import { endTogether } from '../processes/end-together.ts'

const PEER = resolve(import.meta.dirname, '../../peer/s3')
const BUCKET = 'runyard-tests'

/** Why there is none on this machine. */
export const NO_S3_SERVER = process.env.TEST_S3_URL ? undefined : NO_PYTHON

export interface S3Server {
  /** As `RUNYARD_ARTIFACTS_URL`, with a prefix. */
  url(prefix: string): string
  /** `AWS_*`. */
  env: Record<string, string>
  credentials: { accessKeyId: string; secretAccessKey: string }
  /** Ends it at once, as a crash does. */
  stop(): Promise<void>
}

export async function startS3Server(): Promise<S3Server> {
  const { TEST_S3_URL, AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env
  if (TEST_S3_URL) {
    const keys = [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY] as const
    return { ...at(TEST_S3_URL, ...keys), stop: async () => {} }
  }
  const python = await installPython(resolve(PEER, 'requirements.txt'))
  const child = spawn(python, [resolve(PEER, 'server.py'), BUCKET], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  endTogether(child, 'SIGKILL')
  const port = await portOf(child)
  const url = `s3://${BUCKET}?endpoint=http://127.0.0.1:${port}&region=eu-central-1`
  return {
    ...at(url, 'tests', 'secret-of-tests'),
    async stop() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

function at(url: string, accessKeyId: string, secretAccessKey: string): Omit<S3Server, 'stop'> {
  return {
    url: (prefix) => {
      const own = new URL(url)
      own.pathname = `/${prefix}`
      return own.href
    },
    env: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    credentials: { accessKeyId, secretAccessKey },
  }
}

/** Its first line says `listening PORT`. */
async function portOf(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<number> {
  const lines = createInterface({ input: child.stdout })
  const signal = AbortSignal.timeout(200_000)
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('The S3 server has ended before it listened.')
  })
  const [line] = (await Promise.race([once(lines, 'line', { signal }), ended])) as [string]
  ended.catch(() => {})
  return Number(/^listening (\d+)$/.exec(line)?.[1])
}
