/** The thread that `static.ts` starts: one answer for each request, in their order. */
import { parentPort } from 'node:worker_threads'
import { extractSchemas } from './type-extraction.ts'

parentPort?.on('message', (request) => parentPort?.postMessage(extractSchemas(request)))
