import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { CONFIGS, namesOf } from './settings.ts';

interface Variable {
  name: string;
  valueFrom: { secretKeyRef: { name: string; key: string; optional?: boolean } };
}

interface Container {
  name: string;
  command: string[];
  env: Variable[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
}

/** An entry of a JSON patch that appends to a list. */
interface Addition {
  path: string;
  value: object;
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: { containers: [Container]; terminationGracePeriodSeconds?: number } } };
}

interface Scaled {
  spec: { maxReplicaCount: number; triggers: { metadata: { query: string; threshold: string } }[] };
}

const ROOT = join(import.meta.dirname, '../../deploy/kubernetes');
const FOLDERS = ['base', 'migrate', 'overlays/small', 'overlays/production'];

/** The schema of each kind, as published by its API. */
const MODELS: Record<string, new (manifest: never) => { validate(): void }> = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  ScaledObject,
  Service,
  ServiceAccount,
};

const manifests = FOLDERS.flatMap((folder) =>
  filesOf(folder).flatMap((file) =>
    parseAllDocuments(read(`${folder}/${file}`)).map((document) => document.toJS() as Manifest),
  ),
);
const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
const settings = (manifests.find(({ kind }) => kind === 'ConfigMap') as unknown as { data: object }).data;

test.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
  '%s has the schema of its kind',
  (_, manifest) => {
    const Model = MODELS[manifest.kind]!;
    expect(() => new Model(manifest as never).validate()).not.toThrow();
  },
);

test('every app has a deployment, and every file is applied', () => {
  expect(deployments.map(({ metadata }) => metadata.name).toSorted()).toEqual(
    Object.keys(CONFIGS).toSorted(),
  );
  for (const folder of FOLDERS) {
    const { resources } = parse(read(`${folder}/kustomization.yaml`)) as { resources: string[] };
    expect(resources.filter((name) => name.endsWith('.yaml')).toSorted()).toEqual(filesOf(folder));
  }
});

test.each(deployments.map(containerOf))(
  '$name gets every setting that it reads',
  ({ name, command, env }) => {
    const known = namesOf(CONFIGS[name]!);
    const secrets = env.map((variable) => variable.name);
    const given = new Set([...secrets, ...Object.keys(settings)]);

    expect(command).toEqual(['node', `apps/${name}/dist/bundle/main.js`]);
    expect(secrets.filter((variable) => !known.has(variable))).toEqual([]);
    expect([...known].filter((variable) => !given.has(variable))).toEqual([]);
    expect(env.map(({ name: variable, valueFrom }) => [variable, valueFrom.secretKeyRef.name])).toEqual(
      env.map((variable) => [variable.valueFrom.secretKeyRef.key, 'signalbox']),
    );
  },
);

test('the settings of the config map are known to an app, and are no secrets', () => {
  const known = new Set(['NODE_ENV', ...Object.values(CONFIGS).flatMap((config) => [...namesOf(config)])]);

  expect(Object.keys(settings).filter((name) => !known.has(name))).toEqual([]);
  expect(Object.keys(settings).filter((name) => /KEY|SECRET|PEPPER|_URL$/.test(name))).toEqual([
    'PUBLIC_URL',
  ]);
});

test('each app serves the port that is probed, and has longer to stop than it takes to drain', () => {
  for (const { spec } of deployments) {
    const { containers, terminationGracePeriodSeconds } = spec.template.spec;
    expect(containers[0].ports).toEqual([
      { name: 'http', containerPort: Number((settings as { PORT: string }).PORT) },
    ]);
    expect(terminationGracePeriodSeconds).toBeGreaterThan(25);
  }
});

test('every pod can trust a certificate authority of your own', () => {
  const patches = (parse(read('components/ca/trust.yaml')) as Addition[]).map(({ path, value }) => ({
    keys: path.split('/').slice(1, -1),
    value,
  }));
  const component = parse(read('components/ca/kustomization.yaml')) as { patches: object[] };
  const pods = manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind));
  expect(component.patches).toEqual(
    ['Deployment', 'Job'].map((kind) => ({ target: { kind }, path: 'trust.yaml' })),
  );

  for (const manifest of structuredClone(pods)) {
    for (const { keys, value } of patches) listAt(manifest, keys).push(value);
    const { mountPath = '' } = containerOf(manifest).volumeMounts.at(-1) ?? {};

    expect(() => new MODELS[manifest.kind]!(manifest as never).validate()).not.toThrow();
    expect(containerOf(manifest).env.at(-1)).toEqual({
      name: 'NODE_EXTRA_CA_CERTS',
      value: `${mountPath}/ca.pem`,
    });
  }
  for (const folder of FOLDERS.slice(1))
    expect(read(`${folder}/kustomization.yaml`)).toMatch(/^# components: \[[./]*components\/ca\]$/m);
});

test('pods may connect to pods, which are in no block of addresses to some network plugins', () => {
  const policies = manifests as unknown as { spec?: { egress?: { to: object[] }[] } }[];
  const rules = policies.flatMap(({ spec }) => (spec?.egress ? [spec.egress] : []));

  expect(rules).toHaveLength(1);
  expect(rules[0]).toContainEqual({ to: [{ namespaceSelector: {} }] });
});

test('workers scale by metrics that docs/operations.md explains', () => {
  const queries = (parseAllDocuments(read('overlays/production/worker-scaling.yaml')) as { toJS(): object }[])
    .map((document) => JSON.stringify(document.toJS()))
    .flatMap((json) => json.match(/signalbox_\w+/g) ?? []);
  const docs = readFileSync(join(ROOT, '../../docs/operations.md'), 'utf8');

  expect(queries).toHaveLength(4);
  expect(queries.filter((metric) => !docs.includes(`| \`${metric}\``))).toEqual([]);
});

test('a backlog that counts to 10,000 reaches the largest number of pods', () => {
  const scaled = manifests.filter(({ kind }) => kind === 'ScaledObject') as unknown as Scaled[];
  const bounded = scaled.flatMap(({ spec }) =>
    spec.triggers
      .filter(({ metadata }) => metadata.query.includes('signalbox_ready_submissions'))
      .map(({ metadata }) => ({ pods: 10_000 / Number(metadata.threshold), most: spec.maxReplicaCount })),
  );

  expect(bounded).toHaveLength(2);
  expect(bounded.filter(({ pods, most }) => pods < most)).toEqual([]);
});

test('dlr-workers scale by waiting jobs alone, of which slow endpoints leave none', () => {
  const scaled = manifests.filter(({ kind }) => kind === 'ScaledObject') as unknown as (Manifest & Scaled)[];
  const triggers = scaled.find(({ metadata }) => metadata.name === 'dlr-worker')?.spec.triggers ?? [];

  expect(triggers.map(({ metadata }) => metadata.query)).toEqual([
    'sum(max by (queue) (signalbox_queue_jobs{queue=~"dlr.*",state="waiting"}))',
  ]);
});

function containerOf({ spec }: Manifest): Container {
  return spec.template.spec.containers[0];
}

/** Finds the list that the path of a JSON patch leads to. */
function listAt(manifest: object, keys: readonly string[]): unknown[] {
  return keys.reduce<unknown>((value, key) => Reflect.get(Object(value), key), manifest) as unknown[];
}

function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    .toSorted();
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
