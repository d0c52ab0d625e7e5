/** Which variables of this machine's builds are valid elsewhere. */
import { isAbsolute } from 'node:path'

/** A container has its own folders, users and shells. */
const OF_THIS_MACHINE =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TEMP|TMP|XDG_\w+|npm_config_(cache|userconfig|globalconfig)|(PIP|UV)_CACHE_DIR)$/i

const FILES =
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO|npm_config_cafile|PIP_(CERT|CONFIG_FILE|FIND_LINKS)|UV_(CONFIG_FILE|FIND_LINKS))$/i

export function isOfThisMachine(name: string): boolean {
  return OF_THIS_MACHINE.test(name)
}

/** The files and folders of this machine that a variable of the operator names. */
export function filesOf(name: string, value: string): string[] {
  return FILES.test(name) ? value.split(/[\s,]+/).filter((one) => isAbsolute(one)) : []
}
