/** `node control-plane-process.ts`: a control plane with an admin key; prints `URL KEY`. */
import { startControlPlane } from '../support/control-plane/control-plane.ts'

const { url, adminKey } = await startControlPlane()
console.log(`${url} ${adminKey}`)
