import { MEDIA_FILES } from './media-samples.ts';
import type { Pipeline } from './pipeline.ts';
import type { SampleHandles } from './template-samples.ts';

/** Uploads a file of each format, and returns their handles. */
export async function uploadSamples(p: Pipeline): Promise<SampleHandles> {
  const files = [MEDIA_FILES.jpeg, MEDIA_FILES.mp4, MEDIA_FILES.pdf];
  const [IMAGE = '', VIDEO = '', DOCUMENT = ''] = await Promise.all(files.map((file) => upload(p, file)));
  return { IMAGE, VIDEO, DOCUMENT };
}

async function upload({ apiUrl, apiKey }: Pipeline, file: Buffer): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(file)]), 'sample');
  const response = await fetch(`${apiUrl}/v1/chatapp/generateHeaderHandle`, {
    method: 'POST',
    headers: { apikey: apiKey },
    body,
  });
  if (response.status !== 200) throw new Error(`the file was not uploaded: ${await response.text()}`);
  return ((await response.json()) as { data: string }).data;
}
