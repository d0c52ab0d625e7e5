/** One event of a stream, as the SDK hands it out. */
export interface StreamPart {
  id?: string
  event: string
  data: unknown
}

/** All events of a stream that ends. */
export async function collect(stream: AsyncIterable<unknown>): Promise<StreamPart[]> {
  const parts: StreamPart[] = []
  for await (const part of stream) parts.push(part as StreamPart)
  return parts
}
