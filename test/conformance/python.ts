/** Finds a Python that can run the conformance tool, or makes an environment in which one can. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const VERSION = [3, 11] as const
const NAMES = ['python3', 'python', 'python3.14', 'python3.13', 'python3.12', 'python3.11']
/** Of `cryptography`: older ones lack what the tool uses. */
const LEAST_CRYPTOGRAPHY = 42
const INSTALL_LIMIT = 300_000

/** Something that is not part of this repository is missing; says what, and how to get it. */
export class MissingToolError extends Error {}

/** A Python of the right age with `cryptography`: the system's own, or one in `environment`, which is made if needed. */
export async function ensurePython(environment: string): Promise<string> {
  const inEnvironment = join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
  for (const python of [inEnvironment, ...NAMES]) {
    if ((await isCurrent(python)) && (await hasCryptography(python))) return python
  }
  console.log(`conformance: installing the Python package cryptography into ${environment}`)
  let problem = `it needs Python ${VERSION.join('.')} or newer on the PATH`
  for (const python of NAMES) {
    if (!(await isCurrent(python))) continue
    try {
      await execute(python, ['-m', 'venv', '--clear', environment])
      await execute(inEnvironment, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'cryptography'])
      return inEnvironment
    } catch (error) {
      const { stderr, message } = error as Error & { stderr?: string }
      const advice = `install it yourself with: ${python} -m pip install cryptography`
      problem = `cryptography could not be installed; ${advice}\n${stderr || message}`
    }
  }
  throw new MissingToolError(problem)
}

function isCurrent(python: string): Promise<boolean> {
  return succeeds(python, `import sys; sys.exit(sys.version_info < (${VERSION.join(', ')}))`)
}

function hasCryptography(python: string): Promise<boolean> {
  return succeeds(
    python,
    `import cryptography, sys; sys.exit(int(cryptography.__version__.split('.')[0]) < ${LEAST_CRYPTOGRAPHY})`,
  )
}

/** Whether a line of Python runs; a Python that is not there answers like one that refuses. */
async function succeeds(python: string, line: string): Promise<boolean> {
  return await execute(python, ['-c', line]).then(
    () => true,
    () => false,
  )
}

function execute(file: string, args: readonly string[]) {
  return promisify(execFile)(file, args, { timeout: INSTALL_LIMIT })
}
