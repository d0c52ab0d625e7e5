/** The thread that `static-schemas.ts` starts: one request, one answer, the end. */
import { parentPort, workerData } from 'node:worker_threads'
import { extractSchemas } from './type-extraction.ts'

parentPort?.postMessage(extractSchemas(workerData))
