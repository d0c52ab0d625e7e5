/** Text messages of a server as a WebSocket carries them (RFC 6455, section 5.2): whole, not masked, not compressed. */

/** The first and only frame of a text message. */
const WHOLE_TEXT = 0x81
/** The longest message whose length fits in the second byte; in the two bytes after it. */
const SHORT = 125
const MEDIUM = 0xffff
/** In the second byte: the length is in the two bytes after it; in the eight. */
const IN_TWO_BYTES = 126
const IN_EIGHT_BYTES = 127

/** The frames of these messages, one after the other. */
export function textFrames(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text))
  const size = lengths.reduce((sum, length) => sum + headSize(length) + length, 0)
  const frames = Buffer.allocUnsafe(size)
  let at = 0
  for (const [i, text] of texts.entries()) {
    at = writeHead(frames, at, lengths[i] ?? 0)
    at += frames.write(text, at)
  }
  return frames
}

function headSize(length: number): number {
  if (length <= SHORT) return 2
  return length <= MEDIUM ? 4 : 10
}

/** Returns the position of the text. */
function writeHead(frames: Buffer, at: number, length: number): number {
  frames[at] = WHOLE_TEXT
  if (length <= SHORT) return frames.writeUInt8(length, at + 1)
  if (length <= MEDIUM) {
    frames[at + 1] = IN_TWO_BYTES
    return frames.writeUInt16BE(length, at + 2)
  }
  frames[at + 1] = IN_EIGHT_BYTES
  return frames.writeBigUInt64BE(BigInt(length), at + 2)
}
