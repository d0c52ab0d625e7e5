/** What the doctor is told and lent: it imports none of the parts that it looks at. */
import type { Weakness } from '../core/deployment/builds/langgraph.ts'
import type { Inspection } from '../core/deployment/inspection.ts'
import type { SecretBox } from '../core/secret-box.ts'
import type { Certificate, CertificateFiles } from '../core/tls.ts'

/** The settings of the Runyard that is looked at. */
export interface DoctorSettings {
  host: string
  port: number
  dataDir: string
  /** `undefined`: SQLite in the data folder. */
  databaseUrl: string | undefined
  /** `undefined`: it lies in the data folder. */
  encryptionKey: Buffer | undefined
  /** `undefined`: it speaks no TLS. */
  tls: CertificateFiles | undefined
}

/** Each throws what is wrong. */
export interface DoctorTools {
  /** Whether a Runyard is using the data folder. */
  isHeld(): boolean
  readCertificate(files: CertificateFiles): Certificate
  /** The box of a key that is there. */
  openSecretBox(): SecretBox
  /** `where`: a file that is there, or a URL. `undefined`: the database has no tables yet. */
  inspectDatabase(where: string, box: SecretBox | undefined): Promise<Inspection | undefined>
  /** What is known to be wrong with packages of a revision; empty where it lies elsewhere. */
  weaknessesOf(revision_id: string): Promise<Weakness[]>
}
