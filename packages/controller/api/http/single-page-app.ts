/**
 * The `spa` binding: the files of one folder, for a browser. A path that names no file gets the index, so that the
 * application can have addresses of its own. What is served lies inside the folder after every link has been followed.
 */
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { extname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { HttpLog, RequestHandler } from './request-handler.ts'

export interface SinglePageApp {
  /** The first part of the URL path, without slashes. */
  readonly path: string
  /** The folder; absolute. */
  readonly location: string
  readonly indexFile: string
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Builds the handler of the binding; the demultiplexer gives it `/path` and what is below. */
export function createSinglePageApp(app: SinglePageApp, log: HttpLog): RequestHandler {
  return (request, response, { path }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD', 'content-length': '0' }).end()
      return
    }
    serve(app, path, response, request.method === 'HEAD').catch((err: unknown) => {
      log.debug('file not served', { path, err })
      if (!response.headersSent) response.writeHead(500, { 'content-length': '0' })
      response.destroy()
    })
  }
}

async function serve(app: SinglePageApp, path: string, response: ServerResponse, isHead: boolean): Promise<void> {
  const file = (await fileAt(app, path.slice(app.path.length + 2))) ?? (await fileAt(app, app.indexFile))
  if (file === undefined) {
    response.writeHead(404, { 'content-length': '0' }).end()
    return
  }
  response.writeHead(200, {
    'content-type': types[extname(file.path)] ?? 'application/octet-stream',
    'content-length': file.size,
    'x-content-type-options': 'nosniff',
  })
  if (isHead) response.end()
  else await pipeline(createReadStream(file.path, { end: Math.max(0, file.size - 1) }), response)
}

/** The file of a path below the folder; undefined where there is none, or where it lies outside. */
async function fileAt({ location }: SinglePageApp, below: string): Promise<{ path: string; size: number } | undefined> {
  let name: string
  try {
    name = decodeURIComponent(below)
  } catch {
    return undefined
  }
  if (name === '' || name.includes('\0')) return undefined
  try {
    const [folder, path] = [await realpath(location), await realpath(join(location, name))]
    const found = await stat(path)
    return path.startsWith(folder + sep) && found.isFile() ? { path, size: found.size } : undefined
  } catch {
    return undefined
  }
}
