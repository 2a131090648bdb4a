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
  spec: {
    template: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec: { containers: [Container]; terminationGracePeriodSeconds?: number };
    };
  };
}

/** A rule of Prometheus, of the two kinds that docs/kubernetes.md has. */
interface Relabeling {
  action?: 'keep';
  source_labels: string[];
  separator?: string;
  regex?: string;
  target_label?: string;
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

test('the scrape configuration of docs/kubernetes.md makes each app a job of its name', () => {
  const docs = readFileSync(join(ROOT, '../../docs/kubernetes.md'), 'utf8');
  const [, yaml = ''] = /^  ```yaml\n(.*?)^  ```/ms.exec(docs) ?? [];
  const {
    scrape_configs: [scrape],
  } = parse(yaml) as { scrape_configs: [{ relabel_configs: Relabeling[] }] };

  const targets = manifests.flatMap((manifest) => {
    const pod = metaLabelsOf(manifest);
    const labels = pod && relabel(pod, scrape.relabel_configs);
    return labels ? [[labels['job'], labels['__address__']]] : [];
  });

  const address = `10.0.0.1:${(settings as { PORT: string }).PORT}`;
  expect(Object.fromEntries(targets)).toEqual(
    Object.fromEntries(Object.keys(CONFIGS).map((app) => [app, address])),
  );
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

/** The labels of a pod as Prometheus discovers it; undefined for a manifest without pods. */
function metaLabelsOf({ spec }: Manifest): Record<string, string> | undefined {
  if (!spec?.template) return undefined;
  const { labels = {}, annotations = {} } = spec.template.metadata ?? {};
  const named = (kind: string, of: Record<string, string>) =>
    Object.entries(of).map(([name, value]) => [
      `__meta_kubernetes_pod_${kind}_${name.replaceAll(/\W/g, '_')}`,
      value,
    ]);
  const all = [...named('label', labels), ...named('annotation', annotations)];
  return { ...Object.fromEntries(all), __meta_kubernetes_pod_ip: '10.0.0.1' };
}

/** Applies rules as Prometheus does. @returns undefined for a target that is dropped */
function relabel(
  target: Record<string, string>,
  rules: readonly Relabeling[],
): Record<string, string> | undefined {
  const labels = { ...target };
  for (const { action, source_labels: sources, separator = ';', regex, target_label: to } of rules) {
    const value = sources.map((name) => labels[name] ?? '').join(separator);
    if (action === 'keep' && value !== regex) return undefined;
    if (to) labels[to] = value;
  }
  return labels;
}

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
