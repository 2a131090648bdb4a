import { afterAll, expect, test } from '@jest/globals';
import { buildDocument } from './docs.ts';
import { toPostman } from './postman.ts';
import { createPreview } from './preview.ts';

interface Collection {
  variable: { key: string; value: string }[];
  item: {
    item: { id: string; request: { method: string; url: { raw: string }; body?: { raw?: string } } }[];
  }[];
}

const app = await createPreview();
afterAll(() => app.close());

test('the Postman collection has every operation with the first example of its body', () => {
  const document = buildDocument(app);

  const collection = toPostman(document, 'https://sms.example.com') as Collection;

  const requests = collection.item.flatMap(({ item }) => item);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]) => ({ method, path, ...operation })),
  );
  expect(collection.variable).toEqual([
    { key: 'baseUrl', value: 'https://sms.example.com' },
    { key: 'apiKey', value: '' },
  ]);
  expect(requests.map(({ id }) => id).toSorted()).toEqual(
    operations.map((each) => String(each.operationId)).toSorted(),
  );
  expect(operations.length).toBeGreaterThan(100);
  for (const { method, path, operationId, requestBody } of operations) {
    const request = requests.find(({ id }) => id === operationId)?.request;
    const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {}) as {
      value: object;
    }[];
    expect(request?.method).toBe(method.toUpperCase());
    expect(request?.url.raw.split('?')[0]).toBe(`{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    if (example) expect(JSON.parse(request?.body?.raw ?? '')).toEqual(example.value);
  }
});
