/** The part of the package that is used here; it brings no types of its own. */
declare module 'qrcode' {
  interface PngOptions {
    readonly type: 'png'
    /** Pixels of a side. */
    readonly width: number
    readonly errorCorrectionLevel: 'L' | 'M' | 'Q' | 'H'
  }

  const qrcode: { toBuffer(text: string, options: PngOptions): Promise<Buffer> }
  export default qrcode
}
