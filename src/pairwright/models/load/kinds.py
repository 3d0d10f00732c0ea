"""Which kinds of language models there are, and of which kind a model is."""

from typing import TYPE_CHECKING, Literal

from pairwright.core.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

ModelKind = Literal["causal", "masked", "seq2seq", "encoder"]
LOADERS: dict[ModelKind, str] = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "encoder": "AutoModel",
}


def model_kind(config: "PreTrainedConfig", name: str) -> ModelKind:
    """The kind of a model. Raises ModelError where it has no output layer over the vocabulary, like a classifier."""
    from transformers.models.auto import modeling_auto as auto

    classes: dict[ModelKind, dict[str, str]] = {
        "seq2seq": auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
        "masked": auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        "causal": auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    }
    if getattr(config, "is_decoder", False) and not config.is_encoder_decoder:
        del classes["seq2seq"], classes["masked"]
    # A class that comes with the model itself stands in its auto_map.
    auto_map = getattr(config, "auto_map", None) or {}
    for kind, class_names in classes.items():
        default = class_names.get(config.model_type)
        architectures = config.architectures or ([default] if default else [])
        own_class = str(auto_map.get(LOADERS[kind], "")).rpartition(".")[2]
        if any(name in class_names.values() or name == own_class for name in architectures):
            return kind
    architecture = config.architectures[0] if config.architectures else config.model_type
    raise ModelError(
        f"{name}: {architecture} is no language model that scores words; give a causal, a fill-mask or an "
        "encoder-decoder model"
    )
