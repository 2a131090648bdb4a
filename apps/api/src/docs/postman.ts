import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Parameter = Extract<NonNullable<Operation['parameters']>[number], { in: string }>;

interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Converts the OpenAPI document into a Postman collection (format 2.1): a folder for each group, a request for each
 * operation with its first example. The variables `baseUrl` and `apiKey` are the address and the key.
 *
 * @param baseUrl address of the installation, without a slash at its end
 */
export function toPostman(document: OpenAPIObject, baseUrl: string): object {
  const entries = Object.entries(document.paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method): Entry[] => {
      const operation = operations[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );
  return {
    info: {
      name: document.info.title,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'apikey' },
        { key: 'value', value: '{{apiKey}}' },
        { key: 'in', value: 'header' },
      ],
    },
    variable: [
      { key: 'baseUrl', value: baseUrl },
      { key: 'apiKey', value: '' },
    ],
    item: (document.tags ?? []).map(({ name, description }) => ({
      name,
      description,
      item: entries.filter(({ operation }) => operation.tags?.includes(name)).map(toItem),
    })),
  };
}

function toItem({ method, path, operation }: Entry): object {
  const { operationId, summary = '', description = '' } = operation;
  const content = bodyOf(operation);
  return {
    id: operationId,
    name: summary,
    request: {
      method: method.toUpperCase(),
      description,
      ...(operation.security?.length === 0 && { auth: { type: 'noauth' } }),
      header: headersOf(operation, content?.type),
      url: urlOf(path, operation),
      ...(content && { body: content.body }),
    },
    response: [],
  };
}

function parametersOf({ parameters = [] }: Operation, place: string): Parameter[] {
  return parameters.filter((each): each is Parameter => 'in' in each && each.in === place);
}

function headersOf(operation: Operation, type: string | undefined): object[] {
  const headers = parametersOf(operation, 'header').map(({ name, description }) => ({
    key: name,
    // Postman makes a new UUID for each request
    value: name === 'Idempotency-Key' ? '{{$guid}}' : '',
    description,
  }));
  return type === 'application/json' ? [{ key: 'content-type', value: type }, ...headers] : headers;
}

/** Includes optional filters, disabled, so that a first request returns everything. */
function urlOf(path: string, operation: Operation): object {
  const segments = path.split('/').slice(1);
  const query = parametersOf(operation, 'query').map(({ name, description, required, example }) => ({
    key: name,
    value: example === undefined ? '' : String(example),
    description,
    disabled: required !== true,
  }));
  const variable = parametersOf(operation, 'path').map(({ name, description, example }) => ({
    key: name,
    value: example === undefined ? '' : String(example),
    description,
  }));
  const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
  const pattern = segments.map((each) => each.replace(/^\{(\w+)\}$/, ':$1'));
  return {
    raw: `{{baseUrl}}/${pattern.join('/')}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
    host: ['{{baseUrl}}'],
    path: pattern,
    query,
    variable,
  };
}

/** The body of a request: the first example, or a file. */
function bodyOf({ requestBody }: Operation): { type: string; body: object } | undefined {
  const content = requestBody && 'content' in requestBody ? requestBody.content : {};
  const json = content['application/json'];
  if (!json)
    return 'multipart/form-data' in content
      ? {
          type: 'multipart/form-data',
          body: { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: [] }] },
        }
      : undefined;
  const [example] = Object.values(json.examples ?? {});
  const value = example && 'value' in example ? example.value : (json.example ?? {});
  const raw = JSON.stringify(value, null, 2);
  const options = { raw: { language: 'json' } };
  return { type: 'application/json', body: { mode: 'raw', raw, options } };
}
