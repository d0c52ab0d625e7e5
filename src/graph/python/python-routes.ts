/** The routes and middleware of a project in Python. */
import type { ProjectRequest, ProjectRoutes } from '../../core/agent/host/project-routes.ts'
import { AppError, HostLost } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { fromWireError } from './errors.ts'
import { readAnswer, wireRequest } from './http.ts'
import type { OutgoingCall, Peer } from './peer.ts'

export type PassOn = ProjectRequest['next']

interface RoutesParts {
  routes: ProjectRoutes['routes']
  /** The connection to the process that has them. */
  peer: () => Promise<Peer>
  log: Log
}

export class PythonRoutes implements ProjectRoutes {
  readonly routes: ProjectRoutes['routes']
  readonly #parts: RoutesParts
  readonly #passOn = new Map<number, PassOn>()

  constructor(parts: RoutesParts) {
    this.#parts = parts
    this.routes = parts.routes
  }

  /** Returns the function that passes on the request of this call; only once. */
  takePassOn(of: number): PassOn | undefined {
    const passOn = this.#passOn.get(of)
    this.#passOn.delete(of)
    return passOn
  }

  async handle(asked: ProjectRequest): Promise<Response> {
    let isPassedOn = false
    const next: PassOn = (request, headers) => {
      isPassedOn = true
      return asked.next(request, headers)
    }
    try {
      return await this.#ask({ ...asked, next })
    } catch (error) {
      const isReading = ['GET', 'HEAD'].includes(asked.request.method)
      if (!(error instanceof HostLost) || !isReading || isPassedOn) throw error
      return this.#ask(asked)
    }
  }

  async #ask({ request, path, user, remote, headers, next }: ProjectRequest): Promise<Response> {
    const peer = await this.#parts.peer()
    const params = {
      request: wireRequest(request),
      path,
      user,
      remote: remote && { ...remote },
      headers: [...headers],
    }
    const call = peer.begin('routes.handle', params).abortOn(request.signal)
    this.#passOn.set(call.id, next)
    void call.upload(request.body ?? [])
    void call.answer.catch(() => {}).finally(() => this.#passOn.delete(call.id))
    const { method, signal } = request
    const onFailure = (err: Error) =>
      this.#parts.log.error({ err, method, path }, 'a route of the project failed')
    return answerOf(call, signal, onFailure)
  }
}

/** The host responds to errors of the project's code; this responds to the others. */
async function answerOf(
  call: OutgoingCall,
  signal: AbortSignal,
  onFailure: (error: Error) => void,
): Promise<Response> {
  try {
    return await readAnswer(call, (failure) => onFailure(fromWireError(failure)))
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error
    onFailure(error as Error)
    const detail = "One of the project's own routes failed; the log says more."
    return Response.json({ detail }, { status: 500 })
  }
}
