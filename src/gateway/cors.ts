/** What pages of other origins may read of the gateway's own answers: what they may of a deployment's. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CorsConfig, corsHeaders, preflightHeaders } from '../core/cors.ts'
import { endAnswer } from './request-body.ts'

export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && 'access-control-request-method' in headers
}

/** Lets the browser send the request itself, as far as the deployment would: that one is refused. */
export function answerPreflight(req: IncomingMessage, res: ServerResponse, cors: CorsConfig): void {
  const requested = req.headers['access-control-request-headers']
  res.writeHead(204, {
    ...corsHeaders(cors, req.headers.origin),
    ...preflightHeaders(cors, requested),
  })
  endAnswer(req, res)
}
