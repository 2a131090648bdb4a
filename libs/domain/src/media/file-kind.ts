/** Kinds of files in messages. Templates and uploads name the same kinds in capitals. */
export const FILE_KINDS = ['image', 'video', 'document'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** Finds the kind of file that a header format such as `IMAGE` shows; undefined for `TEXT`. */
export function fileKindOf(format: string | undefined): FileKind | undefined {
  return FILE_KINDS.find((kind) => kind.toUpperCase() === format);
}
