/**
 * `node bundle-command.ts LANGGRAPH_JSON`, as `runyard artifact bundle`. A process of its own: it has a
 * build's limits, and the control plane none of its memory.
 */
import { argv } from 'node:process'
import { bundle } from './bundle.ts'

const [, , configPath = 'langgraph.json'] = argv
await bundle(configPath)
