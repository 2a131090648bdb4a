import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { listMedia } from '@signalbox/database/templates/media';
import type { DueRegistration } from '@signalbox/database/templates/registrations';
import type { CloudTemplates, TemplateOutcome } from '@signalbox/gateways/cloud-api/cloud-templates';
import { sampleFiles } from '@signalbox/gateways/cloud-api/template-request';
import type { SampleFile } from '@signalbox/gateways/cloud-api/upload';
import { ImageFetcher } from '@signalbox/gateways/image-fetcher';
import { MediaStore } from '@signalbox/gateways/media/media-store';
import { EntityManager } from 'typeorm';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
};

/** The store does not give the file. Another template does not wait for it. */
const UNREADABLE = {
  result: 'later',
  reason: 'The file of the header cannot be read from the media store',
} as const;

/** Starts after which an image that cannot be fetched for now rejects its template: about a day. */
const MAX_IMAGE_STARTS = 30;

/** A file, with the key by which the template names it. */
interface KeyedFile {
  key: string;
  file: SampleFile;
}

/** Uploads the files that a template shows to its provider. */
@Injectable()
export class SampleFiles {
  constructor(
    private readonly db: EntityManager,
    private readonly store: MediaStore,
    private readonly images: ImageFetcher,
  ) {}

  /** Uploads the file of the header and the images of the cards. @returns their handles at the provider, by key */
  async upload(
    due: DueRegistration,
    provider: CloudTemplates,
  ): Promise<TemplateOutcome<{ result: 'ok'; handles: ReadonlyMap<string, string> }>> {
    const files = await this.find(due);
    if (!Array.isArray(files)) return files;
    const handles = new Map<string, string>();
    for (const { key, file } of files) {
      const uploaded = await provider.upload(file).catch(() => UNREADABLE);
      if (uploaded.result !== 'ok') return uploaded;
      handles.set(key, uploaded.handle);
    }
    return { result: 'ok', handles };
  }

  private async find({
    accountId,
    components,
    starts,
  }: DueRegistration): Promise<KeyedFile[] | { result: 'refused' | 'later'; reason: string }> {
    const { handles, links } = sampleFiles(components);
    const files = (await listMedia(this.db, accountId, handles)).map((media) => ({
      key: media.handle,
      file: toFile(media, (offset) => this.store.read(media.id, offset)),
    }));
    if (files.length < new Set(handles).size)
      return { result: 'refused', reason: 'The file of the header is no longer stored: upload it again.' };
    const images = await Promise.all(
      links.map(async (link) => ({ link, image: await this.images.fetch(link, accountId) })),
    );
    for (const { link, image } of images) {
      if ('problem' in image)
        return {
          result: image.isFinal || starts > MAX_IMAGE_STARTS ? 'refused' : 'later',
          reason: `A card of the carousel: ${image.problem}.`,
        };
      const { bytes, mimeType } = image;
      const open = async (offset: number): Promise<Readable> => Readable.from([bytes.subarray(offset)]);
      files.push({ key: link, file: toFile({ mimeType, sizeBytes: bytes.length }, open) });
    }
    return files;
  }
}

function toFile(
  { mimeType, sizeBytes }: { mimeType: string; sizeBytes: number },
  open: SampleFile['open'],
): SampleFile {
  return { name: `${randomUUID()}.${EXTENSIONS[mimeType] ?? 'bin'}`, mimeType, sizeBytes, open };
}
