import { DiskMediaStore } from './disk-media-store.ts';
import type { MediaStore } from './media-store.ts';

/** Opens the configured store: the bucket, or the folder if `s3Url` is empty. */
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
