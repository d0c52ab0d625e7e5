/**
 * A stream may bring a thousand tokens a second, but a screen shows sixty frames. Chunks that arrive between two frames
 * are passed on together, so that the page renders once for all of them.
 */

/** As `fetch`, but passes on the bodies of event streams once per frame. */
export async function pacedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!response.body || !isStream) return response
  return new Response(paced(response.body), response)
}

function paced(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let waiting: Uint8Array<ArrayBuffer>[] = []
  let isOver = false
  let failure: unknown
  const pump = async () => {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        waiting.push(value)
      }
    } catch (error) {
      failure = error
    }
    isOver = true
  }
  return new ReadableStream({
    start: () => void pump(),
    pull: async (controller) => {
      do await nextPicture()
      while (waiting.length === 0 && !isOver)
      const portion = new Blob(waiting)
      waiting = []
      if (portion.size > 0) controller.enqueue(await portion.bytes())
      else if (failure !== undefined) controller.error(failure)
      else controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** A page in the background draws no frames, and must still learn of the run's end. */
const LONGEST_MS = 250

function nextPicture(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(done, LONGEST_MS)
    const frame = requestAnimationFrame(done)
  })
}
