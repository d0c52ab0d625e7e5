/** A DNS server on a port of this machine, with the records that a test gives it. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export interface Records {
  A?: string[]
  AAAA?: string[]
  CNAME?: string
  TXT?: string[]
}

export interface DnsServer {
  /** `ADDRESS:PORT` */
  address: string
  /** By name; a name that is not there does not exist. `silent`: its questions are not answered. */
  records: Map<string, Records | 'silent'>
  /** The names that were asked for, each question once. */
  asked: string[]
  close(): void
}

const TYPES: Readonly<Record<number, keyof Records>> = { 1: 'A', 5: 'CNAME', 16: 'TXT', 28: 'AAAA' }
const HEADER_BYTES = 12
const ANSWERED = 0x8180
const NO_SUCH_NAME = 0x8183
const TTL_SECONDS = 60
/** Points at the name in the question. */
const NAME_OF_QUESTION = 0xc000 + HEADER_BYTES

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const records: DnsServer['records'] = new Map()
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query)
    asked.push(name)
    const known = records.get(name)
    if (known === 'silent') return
    const answers = known && TYPES[type] ? recordsOf(known, TYPES[type]) : []
    const head = Buffer.alloc(HEADER_BYTES)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(known ? ANSWERED : NO_SUCH_NAME, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(answers.length, 6)
    const question = query.subarray(HEADER_BYTES, end)
    socket.send(Buffer.concat([head, question, ...answers]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const address = `127.0.0.1:${socket.address().port}`
  return { address, records, asked, close: () => socket.close() }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function recordsOf({ A = [], AAAA = [], CNAME, TXT = [] }: Records, type: keyof Records): Buffer[] {
  if (type === 'TXT') return TXT.map((text) => record(16, textIn(text)))
  if (type === 'CNAME') return CNAME ? [record(5, nameIn(CNAME))] : []
  if (type === 'A')
    return A.map((address) => record(1, Buffer.from(address.split('.').map(Number))))
  return AAAA.map((address) => record(28, Buffer.from(address.replaceAll(':', ''), 'hex')))
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(HEADER_BYTES)
  head.writeUInt16BE(NAME_OF_QUESTION, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(TTL_SECONDS, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

/** In pieces of 255 bytes at most. */
function textIn(text: string): Buffer {
  const pieces = text.match(/.{1,255}/g) ?? ['']
  return Buffer.concat(pieces.map((one) => Buffer.from([one.length, ...Buffer.from(one)])))
}

function nameIn(name: string): Buffer {
  const labels = name.split('.').map((label) => [Buffer.from([label.length]), Buffer.from(label)])
  return Buffer.concat([...labels.flat(), Buffer.from([0])])
}
