import { DiskMediaStore } from './disk-media-store.ts';
import type { MediaStore } from './media-store.ts';

/** The store that a process is configured for: a bucket when there is one, else a folder. Only who has a bucket loads what speaks to it. */
export async function openMediaStore({
  folder,
  s3Url,
}: {
  folder: string;
  s3Url: string;
}): Promise<MediaStore> {
  if (s3Url === '') return new DiskMediaStore(folder);
  const { S3MediaStore } = await import('./s3-media-store.ts');
  return new S3MediaStore(s3Url);
}
