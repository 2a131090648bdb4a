import type { Category, TemplateContent } from '@signalbox/domain/templates/template';
import type { OpenRow } from '../open-row.ts';
import type { TemplateChange } from '../provider-changes.ts';
import { type BusinessNumber, listBusinessNumbers } from './business-numbers.ts';
import type { GraphError } from './error.ts';
import { type GraphCall, GraphClient } from './graph-client.ts';
import { type JsonObject, asObject, idOf, listOf, textOf } from './json.ts';
import { type GraphFailure, listEntries } from './list-entries.ts';
import type { CloudApiSettings } from './settings.ts';
import { categoryOf } from './template-changes.ts';
import { templateContent } from './template-request.ts';
import { type SampleFile, uploadSample } from './upload.ts';

/** A template as Meta has it. */
export interface CloudTemplate {
  id: string;
  name: string;
  language: string;
  status: string | undefined;
  category: Category | undefined;
  reason: string | undefined;
  quality: string | undefined;
  /** Empty when they were not asked for. */
  components: unknown[];
}

/** A template of ours that Meta is to have. */
export interface WantedTemplate extends TemplateContent {
  name: string;
  language: string;
}

/**
 * The outcome of a call about a template. `refused` is permanent for this content, and says why. `later`: the call had
 * no effect for another reason, and may be repeated. `unknown`: so may this one, and it may have had its effect.
 */
export type TemplateOutcome<Done> =
  | Done
  | { result: 'refused'; reason: string }
  | { result: 'later' | 'unknown'; reason: string };

const FIELDS = 'id,name,language,status,category,rejected_reason,quality_score';
const MAX_PAGES = 100;
/** Meta renders a new template before it answers. */
const CREATE_TIMEOUT_MS = 60_000;

/** Error codes of Meta that a repeat may overcome, though Meta calls the request refused. */
const REPEATABLE = new Set([0, 1, 2, 3, 4, 10, 190, 368, 80007, 80008, 130429, 131000, 131016, 131031]);

/** The templates and numbers of one business account at Meta. */
export class CloudTemplates {
  private readonly client: GraphClient;
  private readonly settings: CloudApiSettings;

  constructor({ name, settings, secrets }: Pick<OpenRow<CloudApiSettings>, 'name' | 'settings' | 'secrets'>) {
    this.settings = settings;
    this.client = new GraphClient({
      ...settings,
      gateway: name,
      accessToken: secrets['accessToken'] ?? '',
      connections: 4,
    });
  }

  /** Lists the numbers of the business account. */
  async numbers(): Promise<TemplateOutcome<{ result: 'ok'; numbers: BusinessNumber[] }>> {
    const listed = await listBusinessNumbers(this.client, this.settings.businessAccountId);
    return 'failed' in listed ? failureOf(listed.failed) : { result: 'ok', numbers: listed.numbers };
  }

  get businessAccountId(): string {
    return this.settings.businessAccountId;
  }

  /** Finds a template, with its components, by its name and language. */
  async findByName(
    name: string,
    language: string,
  ): Promise<TemplateOutcome<{ result: 'ok'; template: CloudTemplate | undefined }>> {
    const listed = await this.list(name);
    if (listed.result !== 'ok') return listed;
    const own = listed.templates.find((each) => each.name === name && each.language === language);
    return { result: 'ok', template: own };
  }

  /** Lists all templates, or those whose name contains a text. */
  async list(name?: string): Promise<TemplateOutcome<{ result: 'ok'; templates: CloudTemplate[] }>> {
    const query = { fields: FIELDS, ...(name !== undefined && { fields: `${FIELDS},components`, name }) };
    const listed = await listEntries(this.client, this.path, query, MAX_PAGES);
    if ('failed' in listed) return failureOf(listed.failed);
    return { result: 'ok', templates: listed.entries.flatMap((each) => readTemplate(each) ?? []) };
  }

  /** Registers a template. @param handles see `RequestFacts` */
  async create(
    wanted: WantedTemplate,
    handles: ReadonlyMap<string, string>,
  ): Promise<TemplateOutcome<{ result: 'ok'; template: CloudTemplate }>> {
    const { name, language, category, allowCategoryChange } = wanted;
    const body = {
      name,
      language,
      category,
      ...(allowCategoryChange && { allow_category_change: true }),
      ...this.contentOf(wanted, handles),
    };
    const answer = await this.client.call(this.post(this.path, body));
    if (answer.result !== 'ok') return failureOf(answer);
    const template = readTemplate({ ...answer.body, name, language });
    return template
      ? { result: 'ok', template }
      : { result: 'unknown', reason: 'Meta answered without an id' };
  }

  /** True when Meta shows that a template has the content wanted; samples are not compared. */
  hasContent({ category, components }: CloudTemplate, wanted: WantedTemplate): boolean {
    return (
      category === wanted.category && contains(components, this.contentOf(wanted, new Map())['components'])
    );
  }

  /** Replaces the content of a registered template, which is then reviewed again. */
  async edit(
    { id, category: before }: CloudTemplate,
    wanted: WantedTemplate,
    handles: ReadonlyMap<string, string>,
  ): Promise<TemplateOutcome<{ result: 'ok' }>> {
    const { category } = wanted;
    const body = { ...(category !== before && { category }), ...this.contentOf(wanted, handles) };
    const answer = await this.client.call(this.post(`/${id}`, body));
    return answer.result === 'ok' ? { result: 'ok' } : failureOf(answer);
  }

  /** Deletes one language of a template. One that is gone already counts as deleted. */
  async remove(name: string, id: string): Promise<TemplateOutcome<{ result: 'ok' }>> {
    const answer = await this.client.call({ method: 'DELETE', path: this.path, query: { name, hsm_id: id } });
    if (answer.result === 'ok' || (answer.result === 'refused' && isGone(answer))) return { result: 'ok' };
    return failureOf(answer);
  }

  /** Opens a sample file and uploads it. @returns the handle by which a template names it */
  async upload(
    open: () => Promise<TemplateOutcome<{ result: 'ok'; file: SampleFile }>>,
  ): Promise<TemplateOutcome<{ result: 'ok'; handle: string }>> {
    const { appId } = this.settings;
    if (appId === undefined)
      return {
        result: 'later',
        reason: 'The gateway has no appId, which uploads of sample files need: set settings.appId',
      };
    const opened = await open();
    if (opened.result !== 'ok') return opened;
    const answer = await uploadSample(this.client, appId, opened.file);
    return 'handle' in answer ? { result: 'ok', handle: answer.handle } : failureOf(answer);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private get path(): string {
    return `/${this.settings.businessAccountId}/message_templates`;
  }

  private contentOf(wanted: WantedTemplate, handles: ReadonlyMap<string, string>): JsonObject {
    return templateContent(wanted, { handles, otpApp: this.settings.otpApp });
  }

  private post(path: string, body: JsonObject): GraphCall {
    return { method: 'POST', path, body, timeoutMs: Math.max(CREATE_TIMEOUT_MS, this.settings.timeoutMs) };
  }
}

function readTemplate(entry: unknown): CloudTemplate | undefined {
  const { id, name, language, status, category, rejected_reason, quality_score, components } =
    asObject(entry) ?? {};
  const templateId = idOf(id);
  if (templateId === undefined) return undefined;
  const reason = textOf(rejected_reason);
  return {
    id: templateId,
    name: textOf(name) ?? '',
    language: textOf(language) ?? '',
    status: textOf(status),
    category: categoryOf(category),
    reason: reason === 'NONE' ? undefined : reason,
    quality: textOf(asObject(quality_score)?.['score']),
    components: listOf(components),
  };
}

/** True when a value that Meta returned has all that was sent. Meta may add members. */
function contains(got: unknown, sent: unknown): boolean {
  if (Array.isArray(sent))
    return (
      Array.isArray(got) && got.length === sent.length && sent.every((each, i) => contains(got[i], each))
    );
  const members = asObject(sent);
  if (!members) return got === sent;
  return Object.keys(members).every(
    (key) => key === 'example' || contains(asObject(got)?.[key], members[key]),
  );
}

/** Returns the state of a template as a change of it, without a time. */
export function toChange({
  id: gatewayTemplateId,
  name,
  language,
  ...state
}: Omit<CloudTemplate, 'components'>): Omit<TemplateChange, 'at'> {
  const { status, category, reason, quality } = state;
  return {
    gatewayTemplateId,
    name,
    language,
    ...(status !== undefined && { status }),
    ...(category !== undefined && { category }),
    ...(reason !== undefined && { reason }),
    ...(quality !== undefined && { quality }),
  };
}

function failureOf(failure: GraphFailure): { result: 'refused' | 'later' | 'unknown'; reason: string } {
  if (failure.result === 'unreachable') return { result: 'later', reason: failure.reason };
  if (failure.result === 'unanswered') return { result: 'unknown', reason: failure.reason };
  const { status, error } = failure;
  const reason = error.description;
  if (status >= 500 || error.isTransient) return { result: 'unknown', reason };
  return { result: status === 429 || isRepeatableCode(error) ? 'later' : 'refused', reason };
}

function isRepeatableCode({ code }: GraphError): boolean {
  return code === undefined || REPEATABLE.has(code) || (code >= 200 && code < 300);
}

/** Meta answers code 100 with subcode 2593002, or 404, for a template that is not there. */
function isGone({ status, error }: Extract<GraphFailure, { result: 'refused' }>): boolean {
  return (
    status === 404 ||
    (error.code === 100 && /not found|does not exist|doesn't exist/i.test(error.description))
  );
}
