/** The doctor's settings and tools: it imports none of the parts that it checks. */
import type { Weakness } from '../../core/deployment/builds/langgraph.ts'
import type { Inspection } from '../../core/deployment/inspection.ts'
import type { Certificate, CertificateFiles } from '../../core/network/tls.ts'
import type { SecretBox } from '../../core/secret-box.ts'

/** The settings of the checked Runyard. */
export interface DoctorSettings {
  host: string
  port: number
  dataDir: string
  /** `undefined`: SQLite in the data folder. */
  databaseUrl: string | undefined
  /** `undefined`: in the data folder. */
  encryptionKey: Buffer | undefined
  /** `undefined`: no TLS. */
  tls: CertificateFiles | undefined
}

/** Each throws the problem that it finds. */
export interface DoctorTools {
  readCertificate(files: CertificateFiles): Certificate
  /** The box of an existing key. */
  openSecretBox(): SecretBox
  /** `where`: an existing file, or a URL. `undefined`: the database has no tables yet. */
  inspectDatabase(where: string, box: SecretBox | undefined): Promise<Inspection | undefined>
  /** Known weaknesses in a revision's packages; empty if its build is elsewhere. */
  weaknessesOf(revision_id: string): Promise<Weakness[]>
}
