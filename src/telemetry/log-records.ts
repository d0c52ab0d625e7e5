/** Lines of the log as records of OpenTelemetry. */
import { type Attributes, type Context, logs, SeverityNumber } from '@opentelemetry/api'

const SEVERITIES: Readonly<Record<string, SeverityNumber>> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
}

/** Emits each line that it is called with. `context`: the line's context; called while it is written. */
export function logRecords(version: string, context: () => Context): (line: string) => void {
  const logger = logs.getLogger('runyard', version)
  return (line) => {
    const { level, time, msg, pid: _pid, mark: _mark, trace_id: _traceId, ...fields } = parse(line)
    const severityText = String(level).toUpperCase()
    logger.emit({
      timestamp: Date.parse(String(time)),
      severityNumber: SEVERITIES[String(level)] ?? SeverityNumber.UNSPECIFIED,
      severityText,
      body: String(msg),
      attributes: fields as Attributes,
      context: context(),
    })
  }
}

function parse(line: string): Record<string, unknown> {
  return JSON.parse(line)
}
