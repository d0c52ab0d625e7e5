/**
 * What the routes of a project must do behind every graph host. The project has middleware at `/api/*`,
 * which answers 418 to `x-blocked`, else passes on with `x-passed: yes`, and then sets `x-by` and takes
 * `x-request-id` away, and sets `x-error` where a route of the server threw; and at `/api/read`, which reads the body
 * and sets `x-read` to it. It answers at `/hello/:name`, `/whoami` (with the caller's identity and address), `/echo`
 * (201, with the body), and fails at `/throws`. At `/missing` it answers as the server does where there is no route.
 */
import { describe, expect, it } from 'vitest'
import type { ProjectRequest, ProjectRoutes } from '../../../src/core/agent/host/project-routes.ts'
import { inLanguage, type Language } from '../../support/agent/language.ts'
import { eventually } from '../../support/eventually.ts'

/** `logged`: what the host has told the log of failures. */
export function testProjectRoutes(
  open: () => { routes: ProjectRoutes; logged: object[] },
  language: Language,
): void {
  const handle = (path: string, init: RequestInit = {}, more: Partial<ProjectRequest> = {}) => {
    const request = new Request(`http://localhost/below${path}`, init)
    const asked = {
      request,
      path: path.split('?', 1)[0] as string,
      user: undefined,
      remote: undefined,
      headers: new Headers({ 'x-request-id': 'r1' }),
      next: async () => ({ answer: new Response('nobody', { status: 404 }) }),
      ...more,
    }
    return open().routes.handle(asked)
  }

  describe('the routes of a project', () => {
    it('are listed in their order, with the patterns of middleware', () => {
      expect(open().routes.routes).toEqual([
        ...inLanguage(language, 'middleware', {
          javascript: [
            { method: 'ALL', path: '/api/*' },
            { method: 'ALL', path: '/api/read' },
          ],
          python: [{ method: 'ALL', path: '/*' }],
        }),
        { method: 'GET', path: '/hello/:name' },
        { method: 'GET', path: '/whoami' },
        { method: 'POST', path: '/echo' },
        { method: 'GET', path: '/throws' },
        ...inLanguage(language, 'not found', {
          javascript: [{ method: 'GET', path: '/missing' }],
          python: [],
        }),
      ])
    })

    it('answer with what they were asked, and what every answer has', async () => {
      const answer = await handle('/hello/you?polite=yes')
      expect(await answer.json()).toEqual({ hello: 'you', polite: 'yes' })
      expect(answer.headers.get('x-request-id')).toBe('r1')
    })

    it('know who asks, and from where', async () => {
      const user = { identity: 'ann', display_name: '', is_authenticated: true, permissions: [] }
      const remote = { address: '192.0.2.1', port: 5, family: 'IPv4' }
      const answer = await handle('/whoami', {}, { user, remote })
      expect(await answer.json()).toEqual({ identity: 'ann', from: '192.0.2.1' })
    })

    it('take bodies and answer with bodies, byte by byte', async () => {
      const pieces = [Uint8Array.of(0, 255), Uint8Array.of(128)]
      const body = ReadableStream.from(pieces)
      const answer = await handle('/echo', { method: 'POST', body, duplex: 'half' })
      expect(answer.status).toBe(201)
      expect(await answer.bytes()).toEqual(Uint8Array.of(0, 255, 128))
    })

    it('may answer in place of what comes next', async () => {
      const next = () => expect.unreachable()
      const answer = await handle('/api/x', { headers: { 'x-blocked': '1' } }, { next })
      expect([answer.status, await answer.text()]).toEqual([418, 'Not today.'])
    })

    it('may change what they pass on, and what comes back', async () => {
      const answer = await handle(
        '/api/x',
        { method: 'POST', body: 'sent' },
        {
          async next(request, headers) {
            const text = `${await request.text()} ${request.headers.get('x-passed')}`
            headers.set('x-next', 'too')
            return { answer: new Response(text, { status: 202, headers }) }
          },
        },
      )
      expect([answer.status, await answer.text()]).toEqual([202, 'sent yes'])
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'x-by': 'the project',
        'x-next': 'too',
      })
      expect(answer.headers.has('x-request-id')).toBe(false)
    })

    it('may read a body, which is there again for who comes next', async () => {
      const answer = await handle(
        '/api/read',
        { method: 'POST', body: 'sent' },
        {
          next: async (request, headers) => ({
            answer: new Response(await request.text(), { headers }),
          }),
        },
      )
      expect([answer.headers.get('x-read'), await answer.text()]).toEqual(['sent', 'sent'])
    })

    it('are told what a route of the server threw', async () => {
      const error = { name: 'TypeError', message: 'not so' }
      const next = async () => ({ answer: new Response('failed', { status: 500 }), error })
      const answer = await handle('/api/x', {}, { next })
      expect([answer.status, answer.headers.get('x-error')]).toEqual([500, 'TypeError: not so'])
    })

    it('say in the words of the server that something is not there', async () => {
      const answer = await handle('/missing')
      expect(answer.status).toBe(404)
      const said = inLanguage(language, 'not found', {
        javascript: '{"detail":"No route GET /below/missing."}',
        python: 'nobody',
      })
      expect(await answer.text()).toBe(said)
    })

    it('pass on what none of them answers', async () => {
      expect((await handle('/nowhere')).status).toBe(404)
    })

    it('answer and log their failures', async () => {
      const failed = await handle('/throws')
      expect(failed.status).toBe(500)
      expect(await failed.json()).toEqual({ detail: expect.stringContaining('log') })
      // A host in another process tells its log by another way than it answers.
      await eventually(() => open().logged).toMatchObject([
        { err: { message: 'the cellar is flooded' } },
      ])
    })
  })
}
