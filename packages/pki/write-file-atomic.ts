/** Writes a file so that readers, and a process killed at any point, see the old content or the new, never a part. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces what is there. Durable once it resolves. */
export async function writeFileAtomic(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  await written(path, content, mode, (temporary) => rename(temporary, path))
}

/** Fails with `EEXIST` if there is anything of that name. Durable once it resolves. */
export async function createFileAtomic(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  await written(path, content, mode, async (temporary) => {
    await link(temporary, path)
    await rm(temporary)
  })
}

async function written(
  path: string,
  content: string | Uint8Array,
  mode: number,
  putInPlace: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      // The mode given to open passes through the umask.
      await file.chmod(mode)
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await putInPlace(temporary)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncDirectory(dirname(path))
}

/** Makes a rename durable. Windows has no such call and needs none. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  let directory: FileHandle | undefined
  try {
    directory = await open(path, 'r')
    await directory.sync()
  } finally {
    await directory?.close()
  }
}
