import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { followProgress } from './progress.ts'

const never = new AbortController().signal
const follow = async (chunks: string[], signal = never) => {
  const heard: string[] = []
  const onText = (text: string) => heard.push(text)
  const failure = await followProgress(Readable.from(chunks.map((one) => Buffer.from(one))), {
    ...{ signal, onText },
  }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  return { heard, failure }
}

it('hands on what is printed, and passes over what it does not know', async () => {
  const chunks = [
    '{"stream":"o',
    'ne\\n"}\r\n{"status":"pulling","error":""}\nno JSON\n[]\n\n{"stream":"two"}',
  ]
  expect(await follow(chunks)).toEqual({ heard: ['one\n', 'two'], failure: undefined })
})

it('rejects with what the engine says of a failure', async () => {
  const chunks = ['{"error":"exit status 4"}\n', '{"stream":"later"}\n']
  expect(await follow(chunks)).toEqual({ heard: ['later'], failure: 'exit status 4' })
})

it('keeps nothing of a line without end', async () => {
  const chunks = [...Array(40).fill('x'.repeat(100_000)), '\n{"stream":"after"}\n']
  expect(await follow(chunks)).toEqual({ heard: ['after'], failure: undefined })
})

it('rejects when it is aborted, and when the engine breaks off', async () => {
  const open = () => new Readable({ read() {} })
  const abort = new AbortController()
  const aborted = followProgress(open(), { signal: abort.signal })
  abort.abort()
  await expect(aborted).rejects.toThrow(/abort/)
  const broken = open()
  const cut = followProgress(broken, { signal: never })
  broken.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
  await expect(cut).rejects.toMatchObject({ code: 'ECONNRESET' })
})
