sentence_rules = Aşağıda Türkçe bir cümle ve her biri bir harfle gösterilen dil bilgisi kuralları var. Cümle bu kurallardan hangilerini örnekliyor? Bir kural cümledeki bir biçimi ya da sözcük sırasını belirliyorsa ve cümle kurala uyuyorsa cümle o kuralı örnekler; kural bir şeyi yasaklıyorsa cümlede onun yerine doğru biçim bulunur.
rule_sentences = Aşağıda bir Türkçe dil bilgisi kuralı ve her biri bir harfle gösterilen cümleler var. Hangi cümleler kuralı örnekliyor? Bir kural cümledeki bir biçimi ya da sözcük sırasını belirliyorsa ve cümle kurala uyuyorsa cümle o kuralı örnekler; kural bir şeyi yasaklıyorsa cümlede onun yerine doğru biçim bulunur.
rule_sentence = Aşağıda bir Türkçe dil bilgisi kuralı ve bir cümle var. Cümle kuralı örnekliyor mu? Bir kural cümledeki bir biçimi ya da sözcük sırasını belirliyorsa ve cümle kurala uyuyorsa cümle o kuralı örnekler; kural bir şeyi yasaklıyorsa cümlede onun yerine doğru biçim bulunur.
sentences_rules = Aşağıda birkaç Türkçe cümle ve her biri bir harfle gösterilen dil bilgisi kuralları var. Bu cümleler birlikte ele alındığında kurallardan hangilerini örnekliyor? Bir kural cümledeki bir biçimi ya da sözcük sırasını belirliyorsa ve cümle kurala uyuyorsa cümle o kuralı örnekler; kural bir şeyi yasaklıyorsa cümlede onun yerine doğru biçim bulunur.
sentences_rule = Aşağıda Türkçe cümleler ve bir dil bilgisi kuralı var. Cümlelerden en az biri kuralı örnekliyor mu? Bir kural cümledeki bir biçimi ya da sözcük sırasını belirliyorsa ve cümle kurala uyuyorsa cümle o kuralı örnekler; kural bir şeyi yasaklıyorsa cümlede onun yerine doğru biçim bulunur.
minimal_pair = Aşağıda iki Türkçe cümle var. Biri dil bilgisi bakımından doğru, öteki yanlış. Hangisi doğru?
matrix = Aşağıda bir örüntüyü izleyen Türkçe cümleler ve her biri bir harfle gösterilen seçenekler var. Seçeneklerden hangisi örüntünün bir sonraki cümlesidir?
all_letters = Yalnızca uygun olanların harflerini virgülle ayırarak yazın. Hiçbiri uygun değilse 'hiçbiri' yazın.
one_letter = Yalnızca bir harf yazın.
yes_or_no = Yalnızca 'evet' ya da 'hayır' yazın.
none = hiçbiri
join = ve
sentence = Cümle
translation = Çeviri
rule = Kural
options = Seçenekler
answer = Yanıt
acceptability_prefix = Aşağıda cümleler ve dil bilgisi bakımından doğru olup olmadıkları verilmiştir.
acceptability_example =
    Cümle: { $text }
    Dil bilgisi bakımından doğru: { $label }
acceptability_question =
    Cümle: { $text }

    Bu cümle dil bilgisi bakımından doğru mu? Yalnızca 'evet' ya da 'hayır' yazın.
yes = evet
no = hayır
from_english = Aşağıdaki metni İngilizceden Türkçeye çevirin. Yalnızca çeviriyi yazın.
to_english = Aşağıdaki metni Türkçeden İngilizceye çevirin. Yalnızca çeviriyi yazın.
by_rule = Şu dil bilgisi kuralını göz önünde bulundurun
