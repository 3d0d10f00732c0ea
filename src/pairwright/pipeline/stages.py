"""Stages: the parameters of a stage's function say what it reads, and all that they stand for decides its freshness.

    @stage(checks.STAGE, "checked pair")
    def check_pairs(candidates: Lines[Candidate], language: Language, settings: CheckSettings) -> Iterator[CheckedPair]:

    run = check_pairs(context, source)

A function works with its arguments, so it can't forget to say what it depends on. A parameter is a stage file of the
source by its name (`Lines`; `Lines | None` where it need not be there), a section of the configuration by its type, or
one of `_LOADED`; what is left, the call gives. `context` and `how` say how the work is done and decide nothing; of
`session`, the model that is asked decides, and its prompts.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_origin

from pydantic_core import to_jsonable_python

from pairwright.contrasts import load_contrasts
from pairwright.core.config import Config
from pairwright.core.ids import digest
from pairwright.core.records import Candidate, Decision, Record, Source, SourceFile, Stage
from pairwright.core.records.documents import DERIVED, LLM_PAIRS
from pairwright.core.store import StageInput, StageRun, file_input, read_if_there, read_jsonl, run_stage
from pairwright.languages import load_tagset
from pairwright.languages.conventions import Conventions, own_conventions
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import decided_pairs, handed_out, kept_rules, pairs_before
from pairwright.review.log import source_decisions
from pairwright.sources.grammar.rules.extract import own_rules

if TYPE_CHECKING:
    from pairwright.pipeline.llm import LLMSession

R = TypeVar("R", bound=Record)
# What says of a source where it comes from changes no record; its files decide where they are read.
_CREDITS = {"licence", "citation", "url", "files"}


@dataclass(frozen=True)
class Lines(Generic[R]):
    """The records of a stage file, as often as they are wanted. Raises StoreError where it is missing or damaged."""

    path: Path
    kind: type[R]
    optional: bool = False

    def __iter__(self) -> Iterator[R]:
        return (read_if_there if self.optional else read_jsonl)(self.path, self.kind)


def _made(context: Context, source: Source) -> tuple[Lines[Candidate], ...]:
    names = [stage.name for stage in (LLM_PAIRS, *DERIVED)]
    names += [name for extra in context.extras for name in extra.stages]
    return tuple(Lines(context.workspace.stage_file(source.id, name), Candidate, optional=True) for name in names)


def _decisions(context: Context, source: Source) -> list[Decision]:
    return source_decisions(context.workspace.annotations, source.id)


# What a parameter of this name stands for: something of the workspace, of other stages, or of the reviewers.
_LOADED: dict[str, Callable[[Context, Source], Any]] = {
    "source": lambda _, source: source,
    "files": lambda _, source: source.files,
    "language": Context.language,
    "prose": lambda context, source: [context.language(source, code) for code in ("en", *source.written_in)],
    "contrasts": lambda context, source: context.once(load_contrasts, source.language),
    "glosses": lambda context, _: context.once(load_tagset, "leipzig"),
    "conventions": lambda context, source: Conventions.of_source(
        source, context.workspace.root, own_conventions(context.workspace.sources / source.id)
    ),
    # Imported here: only error lists need them.
    "notations": lambda context, _: import_module("pairwright.sources.error_list.notation").load_notations(
        context.workspace.root
    ),
    "own": lambda context, source: own_rules(context.workspace.sources / source.id),
    "made": _made,
    "decided": lambda context, source: decided_pairs(
        handed_out(context.workspace, source.id), _decisions(context, source)
    ),
    "fixes": lambda context, source: tuple(one for one in _decisions(context, source) if one.decision == "fix"),
    "kept": lambda context, source: {rule.id: rule for rule in kept_rules(context.workspace, source.id)},
    "before": lambda context, source: pairs_before(context.workspace, source.id),
}


@dataclass(frozen=True)
class DeclaredStage:
    """A stage of a source. Call it, and it runs unless its files are fresh.

    noun     of one of its records
    also     names of `_LOADED` on which the function depends without having them
    step     the name in [llm] of what a language model is asked
    prompts  the module whose `PROMPTS` are those of its questions
    """

    stage: Stage
    noun: str
    produce: Callable[..., Iterator[Record]]
    also: tuple[str, ...] = ()
    step: str = ""
    prompts: str = ""

    def __call__(
        self, context: Context, source: Source, session: "LLMSession | None" = None, /, **given: Any
    ) -> StageRun:
        """`given` are the arguments that are not found by name or type. Raises what the function raises."""
        work, arguments = context.workspace.work(source.id), dict[str, Any]()
        inputs = [each for name in self.also for each in _inputs(name, _LOADED[name](context, source))]
        undecided = {"context": context, "session": session, "how": given.get("how")}
        for name, parameter in signature(self.produce).parameters.items():
            if name in undecided:
                arguments[name] = undecided[name]
                continue
            arguments[name] = given[name] if name in given else _found(parameter, context, source)
            inputs += _inputs(name, arguments[name])
        asked: dict[str, Any] = {}
        if session and "session" in arguments:
            from pairwright.models.prompts import prompt_hashes

            inputs += _inputs("llm", session.described(self.step))
            prompts = prompt_hashes(import_module(self.prompts).PROMPTS, context.workspace.root)
            asked = {"prompts": prompts, "assistant": session.kind}
        produce = partial(self.produce, **arguments)
        return context.call(self.stage.name, run_stage, work, self.stage, inputs, produce, **asked)


def stage(declared: Stage, noun: str, **others: Any) -> Callable[[Callable[..., Iterator[Record]]], DeclaredStage]:
    """Declares that a function makes the records of a stage; `others` are those of `DeclaredStage`."""
    return lambda produce: DeclaredStage(declared, noun, produce, **others)


def _found(parameter: Parameter, context: Context, source: Source) -> Any:
    name, annotation = parameter.name, parameter.annotation
    if name in _LOADED:
        return _LOADED[name](context, source)
    for lines in (annotation, *get_args(annotation)):
        if get_origin(lines) is Lines:
            path = context.workspace.stage_file(source.id, name)
            return Lines(path, get_args(lines)[0], optional=lines is not annotation)
    section = next(key for key, field in Config.model_fields.items() if field.annotation is annotation)
    return getattr(context.workspace.config(), section)


def _inputs(name: str, value: Any) -> list[StageInput]:
    """What decides in an argument: of a file its content, of a source all but where it comes from."""
    match value:
        case Lines(path=path) | (Path() as path):
            return [file_input(path)]
        case SourceFile():
            return [StageInput(name=value.path, sha256=value.sha256, count=1)]
        case (Lines() | SourceFile() | Path(), *_):
            return [each for one in value for each in _inputs(name, one)]
        case Source():
            value = value.model_dump(exclude=_CREDITS)
    count = len(value) if isinstance(value, tuple | Mapping) else 0
    return [StageInput(name=name, sha256=digest(to_jsonable_python(value)), count=count)]
