import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ErrorFilter } from '../errors/error.filter.ts';
import type { ErrorLog } from '../errors/error.filter.ts';
import { planOf } from './dto-plan.ts';
import { listMethods, parametersOf } from './parameters.ts';
import { RequestPipe } from './request-pipe.ts';

/** The filter and the pipe of every controller of an application. */
export interface HttpEdge {
  filter: ErrorFilter;
  pipe: RequestPipe;
}

/**
 * Installs the error filter and the validation pipe of an application on our adapter.
 *
 * @throws Error when a DTO class uses a decorator that requests cannot have
 */
export function installHttpEdge(app: NestFastifyApplication, log: ErrorLog): HttpEdge {
  const edge = { filter: new ErrorFilter(log), pipe: new RequestPipe() };
  app.useGlobalFilters(edge.filter);
  app.useGlobalPipes(edge.pipe);
  for (const { controller, method } of listMethods(app))
    for (const { type } of parametersOf(controller, method)) planOf(type);
  return edge;
}
