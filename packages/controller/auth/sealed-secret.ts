/**
 * Secrets that must be readable again (TOTP seeds, recovery codes), encrypted before they reach the database.
 *
 *   v1.<base64url of: nonce (12 bytes), tag (16 bytes), ciphertext>      AES-256-GCM
 *
 * The key lies in a file of its own, so that a copy of the database alone tells nothing. What a secret belongs to is
 * authenticated with it: moved to another row it does not open.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { link, open, readFile, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Match on `code`. Messages never repeat key or secret. */
export class SealError extends Error {
  readonly code: 'BAD_KEY_FILE' | 'KEY_FILE_EXPOSED' | 'DOES_NOT_OPEN'

  constructor(code: SealError['code'], message: string, options?: { readonly cause: unknown }) {
    super(message, options)
    this.name = 'SealError'
    this.code = code
  }
}

const PREFIX = 'v1.'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export class SecretSealer {
  readonly #key: Buffer

  constructor(key: Buffer) {
    if (key.length !== KEY_BYTES) throw new SealError('BAD_KEY_FILE', `a key has ${KEY_BYTES} bytes`)
    this.#key = key
  }

  /** Reads the key file, and makes it when there is none. */
  static async open(file: string): Promise<SecretSealer> {
    return new SecretSealer((await readKey(file)) ?? (await createKey(file)))
  }

  /** `owner` names what the secret belongs to, and must be the same when it is opened. */
  seal(secret: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(owner, 'utf8'))
    const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
    return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')
  }

  unseal(sealed: string, owner: string): string {
    const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url')
    if (!sealed.startsWith(PREFIX) || bytes.length < NONCE_BYTES + TAG_BYTES) throw doesNotOpen(undefined)
    const tagEnd = NONCE_BYTES + TAG_BYTES
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(owner, 'utf8')).setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd))
      return decipher.update(bytes.subarray(tagEnd), undefined, 'utf8') + decipher.final('utf8')
    } catch (error) {
      throw doesNotOpen(error)
    }
  }
}

function doesNotOpen(cause: unknown): SealError {
  return new SealError('DOES_NOT_OPEN', 'a sealed secret does not open: is the key file the one it was sealed with?', {
    cause,
  })
}

async function readKey(file: string): Promise<Buffer | undefined> {
  let text: string
  try {
    const { mode, size } = await stat(file)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new SealError('KEY_FILE_EXPOSED', `${file} can be read by others; its mode must be 0600`)
    }
    if (size > 1_024) throw new SealError('BAD_KEY_FILE', `${file} is not a key file`)
    text = await readFile(file, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES) throw new SealError('BAD_KEY_FILE', `${file} is not a key file`)
  return key
}

/** Complete before it has its name, and never in place of one that is there: a half-written or replaced key loses all. */
async function createKey(file: string): Promise<Buffer> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
  await syncDirectory(dirname(file))
  const key = await readKey(file)
  if (key === undefined) throw new SealError('BAD_KEY_FILE', `${file} was removed while it was being made`)
  return key
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
